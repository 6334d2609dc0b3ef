"""Plans that are published whole or not at all."""

from vaultd.publish.catalog import read_wiki
from vaultd.publish.history import keep_refused, keep_version, thin_history, versions
from vaultd.publish.plan import Asset, Plan, Published, Receipt, Removal, Write
from vaultd.publish.publish import list_anew, publish, recover

__all__ = [
    "Asset",
    "Plan",
    "Published",
    "Receipt",
    "Removal",
    "Write",
    "keep_refused",
    "keep_version",
    "list_anew",
    "publish",
    "read_wiki",
    "recover",
    "thin_history",
    "versions",
]
