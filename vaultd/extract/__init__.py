"""Files to Markdown and pictures, in a child process that may be killed."""

from vaultd.extract.converter import Converter, Limits
from vaultd.extract.version import CONVERTER_VERSION

__all__ = ["CONVERTER_VERSION", "Converter", "Limits"]
