"""`python -m vaultd` is the command line."""

from vaultd.cli import main

main()
