"""What a reader can move, in a notebook with a kernel and on a page without one.

Each widget is a Python file and an ES module of the same name. A long module has parts, ``<name>.<part>.js``, which
stand before it. This file needs none of them to be imported: a book is built without a kernel.
"""

import json
import re
from pathlib import Path

from mlnotes.widgets.colours import VIRIDIS

HERE = Path(__file__).parent
SHARED = {"common", "page"}


def bundle():
    """Write the one classic script that brings the widgets of a built page to life.

    Returns
    -------
    str
        JavaScript without ``import`` or ``export``, which browsers refuse to pages opened from a folder.
    """
    modules = ",\n".join(f'"{name}": (() => {{\n{_as_function_body(name)}\n}})()' for name in names())
    return f'(() => {{\n"use strict";\n{_common()}\nconst MODULES = {{\n{modules}\n}};\n{_source("page")}\n}})();\n'


def stylesheet():
    """Read the style sheet of all widgets.

    Returns
    -------
    str
        CSS; every rule applies inside of a widget only.
    """
    return (HERE / "widgets.css").read_text(encoding="utf-8")


def module(name):
    """Write the ES module of one widget, as a kernel sends it to JupyterLab.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    str
        JavaScript that exports ``{ render }``.
    """
    return f"{_common()}\n{_source(name)}"


def names():
    """List the widgets there are.

    Returns
    -------
    list of str
        The names of their modules, sorted.
    """
    stems = {path.stem for path in HERE.glob("*.js")} - SHARED
    return sorted(stem for stem in stems if "." not in stem)


def _common():
    return f"const VIRIDIS = {json.dumps(VIRIDIS)};\n{_source('common')}"


def _as_function_body(name):
    """Turn an ES module into the body of a function: what it exports is what the function returns."""
    body, count = re.subn(r"^export default ", "return ", _source(name), flags=re.MULTILINE)
    if count != 1 or re.search(r"^(import|export)\b", body, flags=re.MULTILINE):
        raise ValueError(f"{name}.js must have one `export default`, no other export and no import, got {count}")
    return body


def _source(name):
    paths = [*sorted(HERE.glob(f"{name}.*.js")), HERE / f"{name}.js"]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)
