"""Which tests of many of one kind are run: some at a desk, more or all where the book is published."""

import os
import zlib

EVERY = int(os.environ.get("MLNOTES_EVERY", 64))  # 4 in `.ci/run` and for one chapter, 1 for all there are


def sample(things, every, name_of=str):
    """Choose about one of every so many things by a hash of its name.

    Parameters
    ----------
    things : iterable
        What is chosen from.
    every : int
        From how many one is taken; all are where it is 1 or less.
    name_of : callable
        Gives the name of a thing.

    Returns
    -------
    list
        The chosen ones, in their order: the same ones, whatever stands beside them.
    """
    return [it for it in things if zlib.crc32(name_of(it).encode()) % max(1, every) == 0]
