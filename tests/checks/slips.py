"""A right answer with one slip in it, where all the rest of a long answer would stand there once more."""

import inspect
import linecache


def slip(right, old, new, says=None):
    """Change one place of a right answer; the report on it must say so, or must not guess where nothing is given."""
    source = inspect.getsource(right)
    assert source.count(old) == 1, f"{old!r} must stand once in {right.__name__}, got {source.count(old)}"
    changed, file = source.replace(old, new), f"<{right.__name__} with {new}>"
    linecache.cache[file] = (len(changed), None, changed.splitlines(keepends=True), file)
    defined = {}
    exec(compile(changed, file, "exec"), right.__globals__, defined)
    wrong = defined[right.__name__]
    wrong.__doc__ = says
    return wrong
