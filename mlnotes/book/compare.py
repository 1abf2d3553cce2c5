"""Compare every output of a notebook with what running it gives now.

What is compared exactly, and what within a tolerance, is stated here and in `mlnotes.book.figures`. It takes the place
of nbval's own comparison, which skips figures and compares floats as text: see `mlnotes.book.plugin`.
"""

import base64
import functools
import itertools
import json
import math
import re

from mlnotes.diagnosis.report import EVIDENCE, Evidence

# Floats. Another processor or another library adds in another order, which moves the last of sixteen digits; over a
# chapter's few thousand operations that grows to 1e-12 at most. A print shows four to eight digits, so a wrong last
# digit is an error of 1e-9 or more. Results that should be zero have only an absolute size.
RELATIVE, ABSOLUTE = 1e-9, 1e-14

# Coordinates of an SVG, in points or pixels. The largest difference between two processors was 0.003, from a fit by
# many steps; 0.01 is less than one can see, a 40,000th of the width of a figure. Other numbers have six decimals.
COORDINATE, IN_STYLES = 0.01, 1e-5
SVG = "image/svg+xml"

# Its model id is random, so that a committed notebook leaves it out.
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# The exponent of a printed float has a sign; that of 2e5 in a colour #2e5a1b has none.
_FLOAT = re.compile(r"(?<![\w.])([-+]?(?:(?:\d+\.\d*|\.\d+)(?:[eE][-+]\d+)?|\d+[eE][-+]\d+|(?:nan|inf)\b))")
_TAG = re.compile(r"(<[^>]*>)")
_COORDINATES = re.compile(
    r'((?<=\s)(?:d|[xy][12]?|c[xy]|points|width|height|viewBox)="[^"]*"|(?:translate|rotate)\([^)]*\))'
)
_COLOUR_OR_NUMBER = re.compile(r"(#\w+|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
# Matplotlib names markers, clips and hatches by a digest of their coordinates, to the last bit; pictures for nothing.
_VOLATILE = re.compile(r'\s*<metadata>.*?</metadata>| id="image[0-9a-f]{10}"', re.DOTALL)
# A pattern that begins with letters is found faster: what stands before them is asked afterwards.
_DIGEST = re.compile(r'(id="(?<=\bid=")|url\(#(?<=\burl\(#)|href="#(?<=\bhref="#))([A-Za-z_]\w*?[0-9a-f]{10})(?=["\)])')
_CLOSED = re.compile(r'(M (\S+ \S+) \n(?:L \S+ \S+ \n)*L \2 \n)z\n')
_EMBEDDED = re.compile(
    r'(<script\b[^>]*type="application/json"[^>]*>)(.*?)(</script>)|data:(image/[\w.+-]+);base64,\s*([\w+/=]+)',
    re.DOTALL,
)


def cell_differences(committed, fresh):
    """Compare all outputs of a cell, in their order.

    Parameters
    ----------
    committed, fresh : list of dict
        Outputs as in a notebook: those in the file, and those that running the cell gives.

    Returns
    -------
    list of str
        What differs, for a reader; empty if nothing does.
    """
    committed, fresh = merged(committed), merged(fresh)
    found = []
    if len(committed) != len(fresh):
        was, now = ([", ".join(_parts(output)) for output in outputs] for outputs in (committed, fresh))
        found.append(f"{len(was)} outputs are committed {was}, {len(now)} came now {now}")
    for i, pair in enumerate(zip(committed, fresh, strict=False), 1):
        found += [f"output {i} ({pair[0]['output_type']}), {line}" for line in differences(*pair)]
    return found


def differences(committed, fresh):
    """Compare one output with another.

    Parameters
    ----------
    committed, fresh : dict
        Outputs as in a notebook.

    Returns
    -------
    list of str
        For each part that differs (a mime type, a stream, the name of an error) where it first does, and both values.
    """
    if committed["output_type"] != fresh["output_type"]:
        return [f"its type: {committed['output_type']} is committed, {fresh['output_type']} came now"]
    return _differences(_parts(committed), _parts(fresh))


def is_compared(output):
    """Tell whether a change in any part of an output is noticed, by changing each part in turn.

    Parameters
    ----------
    output : dict
        An output as in a notebook.

    Returns
    -------
    bool
        False also for an output of which nothing is left to compare, such as a widget without text or picture.
    """
    parts = _parts(output)
    changed = {name: "x" + value if isinstance(value, str) else [value] for name, value in parts.items()}
    return bool(parts) and all(_differences(parts, parts | {name: changed[name]}) for name in parts)


def merged(outputs):
    """Bring outputs into the form in which they are compared and committed.

    Parameters
    ----------
    outputs : list of dict
        Outputs as in a notebook, which are left as they are.

    Returns
    -------
    list of dict
        The same with one output for all that went to the same stream between two others (in which pieces it came, and
        whether stdout or stderr first, depends on timing), without tracebacks (they name files of this machine), the
        ids of widgets, and the date, the version and the names of pictures in an SVG.
    """
    result = []
    for is_stream, group in itertools.groupby(outputs, lambda output: output["output_type"] == "stream"):
        group = list(group)
        if is_stream:
            for name in sorted({output["name"] for output in group}):
                text = "".join(output["text"] for output in group if output["name"] == name)
                result.append({"output_type": "stream", "name": name, "text": text})
            continue
        for output in group:
            output = dict(output)
            if "data" in output:
                output["data"] = {mime: data for mime, data in output["data"].items() if mime != WIDGET_VIEW}
                if SVG in output["data"]:
                    output["data"][SVG] = _VOLATILE.sub("", output["data"][SVG])
            if "traceback" in output:
                output["traceback"] = [f"{output['ename']}: {output['evalue']}"]
            result.append(output)
    return result


def _differences(was, now):
    found = [f"{name}: is committed, but did not come now" for name in was if name not in now]
    found += [f"{name}: came now, but is not committed" for name in now if name not in was]
    if EVIDENCE in was and EVIDENCE in now:
        was, now = map(_without_digits, (was, now))
    for name in was:
        if name in now:
            found += [f"{name}{line}" for line in itertools.islice(_compare(name, was[name], now[name]), 1)]
    return found


def _without_digits(parts):
    """Reduce measured errors to whether they keep their tolerance: their digits are the processor's.

    The text beside them stays only where it is not what the rows give.
    """
    try:
        rows = parts[EVIDENCE]["rows"]
        written = _written(json.dumps(rows))
        kept = [row | {"error": "kept" if row["error"] <= row["tolerance"] else row["error"]} for row in rows]
    except (KeyError, TypeError):
        return parts
    return {name: "" if written.get(name) == text else text for name, text in parts.items()} | {EVIDENCE: kept}


@functools.lru_cache(maxsize=2)
def _written(rows):
    return Evidence(tuple(json.loads(rows)))._repr_mimebundle_()


def _parts(output):
    """Split an output into named values."""
    if output["output_type"] == "stream":
        return {output["name"]: output["text"]}
    if output["output_type"] == "error":
        return {"ename": output["ename"], "evalue": output["evalue"]}
    parts = {mime: data for mime, data in output["data"].items() if mime != WIDGET_VIEW}
    return parts | ({"metadata": output["metadata"]} if output.get("metadata") else {})


def _compare(name, was, now):
    """Yield what differs between two values of one part, as text that follows its name."""
    if not (isinstance(was, str) and isinstance(now, str)):
        yield from _data(was, now)
    elif was == now:
        pass
    elif name == "text/html":
        yield from _html(was, now)
    elif name.startswith("text/") or name in ("stdout", "stderr", "ename", "evalue"):
        yield from _text(was, now)
    elif name == SVG:
        yield from _svg(was, now)
    elif name in ("image/png", "image/jpeg"):
        from mlnotes.book.figures import figure_differences  # which needs NumPy and Pillow

        yield from figure_differences(was, now)
    else:
        yield _both("", was, now)


def _close(was, now):
    if was == now or (math.isnan(was) and math.isnan(now)):
        return True
    if was.is_integer() and now.is_integer() and abs(was) < 1e15:
        return False  # a whole number, perhaps at the end of a sentence
    return math.isclose(was, now, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _text(was, now):
    """Compare words, integers and punctuation exactly, floats within the tolerance.

    Blanks next to a float count only if all floats are printed alike: NumPy aligns columns by the sign of noise.
    """
    left, right = _FLOAT.split(was), _FLOAT.split(now)
    noisy = left[1::2] != right[1::2]
    for i, (x, y) in enumerate(itertools.zip_longest(left, right, fillvalue="")):
        if i % 2:
            same = x and y and _close(float(x), float(y))
        else:
            same = x == y or (noisy and x.strip(" ") == y.strip(" "))
        if not same:
            here, there = len("".join(left[:i])), len("".join(right[:i]))
            pairs = enumerate(zip(x + "\0", y + "\1", strict=False))
            common = 0 if i % 2 else next(k for k, (a, b) in pairs if a != b)
            line = was.count("\n", 0, here + common) + 1
            around = (slice(max(0, at + common - 20), at + common + 40) for at in (here, there))
            yield _both(f", line {line}", was[next(around)], now[next(around)])
            return


def _html(was, now):
    """Compare what stands between tags as text; JSON in scripts and pictures in `data:` addresses as what they are."""
    yield from _text(*(_EMBEDDED.sub(r"\1embedded \4\3", html) for html in (was, now)))
    yield from _embedded(was, now)


def _embedded(was, now):
    for x, y in zip(_EMBEDDED.finditer(was), _EMBEDDED.finditer(now), strict=True):
        if x[0] == y[0]:
            continue
        if x[4] == SVG:
            found = _svg(*(base64.b64decode(it[5]).decode(errors="replace") for it in (x, y)))
        elif x[4]:
            found = _compare(x[4], x[5], y[5])
        else:
            try:
                found = _data(json.loads(x[2]), json.loads(y[2]))
            except ValueError:
                found = _text(x[2], y[2])
        yield from (f", in its {x[4] or 'JSON'}{line}" for line in found)


def _svg(was, now):
    """Compare numbers in tags within their tolerances, pictures by their pixels, all else as text."""
    left, right = _tags(was), _tags(now)
    for i, (x, y) in enumerate(zip(left, right, strict=False)):
        if x == y:
            continue
        if i % 2 == 0:
            yield from _text(x, y)
        else:
            without_pictures = (_EMBEDDED.sub(r"embedded \4", tag) for tag in (x, y))
            if _tags_agree(*without_pictures):
                yield from _embedded(x, y)
            else:
                yield _both(f", tag {i // 2 + 1}", x, y)
    if len(left) != len(right):
        yield _both(", the number of tags", len(left) // 2, len(right) // 2)


@functools.lru_cache(maxsize=2)
def _tags(svg):
    """Split a drawing at its tags, which stand at the odd places."""
    return _TAG.split(_numbered(_open(svg)))


def _tags_agree(was, now):
    parts = itertools.zip_longest(_COORDINATES.split(was), _COORDINATES.split(now), fillvalue="")
    return all(_numbers_agree(x, y, COORDINATE if i % 2 else IN_STYLES) for i, (x, y) in enumerate(parts))


def _numbers_agree(was, now, tolerance):
    xs, ys = _COLOUR_OR_NUMBER.split(was), _COLOUR_OR_NUMBER.split(now)
    pairs = [it for it in zip(xs[1::2], ys[1::2], strict=False) if it[0] != it[1]]
    colours = any("#" in x + y for x, y in pairs)
    return xs[::2] == ys[::2] and not colours and all(abs(float(x) - float(y)) <= tolerance for x, y in pairs)


def _open(svg):
    """Leave out that a level line is closed which ends where it began: Matplotlib says so if all bits are the same."""
    return _CLOSED.sub(r"\1", svg)


def _numbered(svg):
    """Name what a drawing defines by its place among all definitions."""
    places = {it[2]: str(i) for i, it in enumerate(_DIGEST.finditer(svg)) if it[1] == 'id="'}
    return _DIGEST.sub(lambda it: it[1] + places.get(it[2], it[2]), svg)


def _data(was, now, where="$"):
    """Compare structures: the keys, the lengths and all but floats exactly.

    Whether a whole number is an integer does not count: a browser has one kind of number, and writes 0.0 as 0.
    """
    if isinstance(was, dict) and isinstance(now, dict):
        if was.keys() != now.keys():
            yield _both(f", the keys of {where}", sorted(was), sorted(now))
        for key in was.keys() & now.keys():
            yield from _data(was[key], now[key], f"{where}.{key}")
    elif isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            yield _both(f", the length of {where}", len(was), len(now))
        for i, (x, y) in enumerate(zip(was, now, strict=False)):
            if x is not y:
                yield from _data(x, y, f"{where}[{i}]")
    elif type(was) is float and type(now) is float:
        if not _close(was, now):
            yield _both(f", {where}", was, now)
    elif was != now or isinstance(was, bool) != isinstance(now, bool):
        yield _both(f", {where}", was, now)


def _both(where, was, now):
    was, now = (text if len(text) <= 120 else f"{text[:120]}…" for text in (repr(was), repr(now)))
    return f"{where}: {was} is committed, {now} came now"
