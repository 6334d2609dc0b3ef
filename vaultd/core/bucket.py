"""Parts of a folder too wide for one prompt, cut so that one change touches few of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SMALL = 5  # a part below a fifth of the limit joins its neighbour where both fit


@dataclass(frozen=True, slots=True)
class Bucket:
    """Children that are described together: `names` of a leaf, or the `parts` of a group.

    `key` holds the leading bits that the hashes of all its names share. It says where the
    bucket stands, and never changes because of what other buckets hold.
    """

    key: str
    names: tuple[str, ...] = ()
    parts: tuple[Bucket, ...] = ()


def arrange(names: Iterable[str], limit: int) -> Bucket:
    """Return the tree of buckets for `names`: at most `limit` names or parts in each.

    A function of the set of names alone, so that it is the same after a crash or a rebuild. It is
    the binary trie of the names' hashes: an added or removed name changes one leaf, and now
    and then splits or joins two. Every name stands in exactly one leaf.

    Raises:
        ValueError: `limit` is below 2, with which nothing can be nested.
    """
    if limit < 2:
        raise ValueError("A bucket holds at least two.")
    leaves = _joined(_leaves(sorted((_bits(name), name) for name in set(names)), "", limit), limit)
    while len(leaves) > limit:
        leaves = _joined(_groups(leaves, "", limit), limit)
    return leaves[0] if len(leaves) == 1 else Bucket("", parts=tuple(leaves))


def leaves_of(bucket: Bucket) -> list[Bucket]:
    """Return the leaves of a tree of buckets, in order."""
    if not bucket.parts:
        return [bucket]
    return [leaf for part in bucket.parts for leaf in leaves_of(part)]


def _bits(name: str) -> str:
    digest = hashlib.sha256(unicodedata.normalize("NFC", name).encode("utf-8", "surrogatepass"))
    return f"{int.from_bytes(digest.digest()[:8], 'big'):064b}"


def _leaves(keyed: Sequence[tuple[str, str]], prefix: str, limit: int) -> list[Bucket]:
    if len(keyed) <= limit or len(prefix) == 64:  # 64 equal bits: spellings of one name
        return [Bucket(prefix, names=tuple(name for _, name in keyed))]
    zeros = [item for item in keyed if item[0][len(prefix)] == "0"]
    ones = keyed[len(zeros) :]
    return [
        leaf
        for half, bit in ((zeros, "0"), (ones, "1"))
        if half
        for leaf in _leaves(half, prefix + bit, limit)
    ]


def _groups(parts: Sequence[Bucket], prefix: str, limit: int) -> list[Bucket]:
    if len(parts) <= limit:
        return [parts[0] if len(parts) == 1 else Bucket(prefix, parts=tuple(parts))]
    zeros = [part for part in parts if part.key[len(prefix) :].startswith("0")]
    ones = parts[len(zeros) :]
    return [
        group
        for half, bit in ((zeros, "0"), (ones, "1"))
        if half
        for group in _groups(half, prefix + bit, limit)
    ]


def _joined(buckets: Sequence[Bucket], limit: int) -> list[Bucket]:
    """Join neighbours of which one is small; both stay whole where they do not fit together."""
    result: list[Bucket] = []
    for bucket in buckets:
        if result and _fit(result[-1], bucket, limit):
            last = result.pop()
            bucket = Bucket(last.key, last.names + bucket.names, last.parts + bucket.parts)
        result.append(bucket)
    return result


def _fit(left: Bucket, right: Bucket, limit: int) -> bool:
    if bool(left.parts) != bool(right.parts):
        return False
    sizes = [len(bucket.names) + len(bucket.parts) for bucket in (left, right)]
    return sum(sizes) <= limit and min(sizes) * SMALL < limit
