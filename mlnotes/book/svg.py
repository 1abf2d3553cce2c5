"""Figures on the pages: the SVG of an output becomes a part of its page, and takes the colours of the page's theme."""

import re
import xml.etree.ElementTree as ET

from mlnotes import plots

# What stands in a figure, and what it becomes on a dark page. Every other colour stays: those of colour maps and of
# pictures, and what is written on them.
DARK = {
    "#ffffff": "#15181d",
    "#000000": "#d9dde4",
    plots.INK: "#d9dde4",
    plots.GREY: "#a5adb9",
    plots.FAINT: "#6d7683",
    plots.GUIDE: "#454c58",
    plots.BLUE: "#8fbdf2",
    plots.ORANGE: "#f0a868",
    plots.GREEN: "#7fd1a6",
    plots.PURPLE: "#cdaaf0",
    plots.PALE_BLUE: "#1f3c59",
    plots.PALE_ORANGE: "#57351c",
    plots.PALE_GREEN: "#1f4a37",
}
READABLE = 11  # CSS pixels: a figure is not made so small that its smallest text is below
PIXELS = 4 / 3  # CSS pixels in a point
ENLARGED = 1.2  # where a page has room: drawings are made for narrow pages, and so is their text

_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_REFERENCE = re.compile(r"(?<=url\(#)[^)]+")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_DATA = re.compile(r"base64,[^\"]*")


def stylesheet():
    """Write the colours of both themes as CSS variables, each named by what stands in the figure."""
    light = "; ".join(f"{_variable(it)}: {it}" for it in DARK)
    dark = "; ".join(f"{_variable(it)}: {shown}" for it, shown in DARK.items())
    return f':root {{ {light} }}\nhtml[data-theme="dark"] {{ {dark} }}\n'


def inlined(svg, name, alt):
    """Make a figure a part of a page.

    Parameters
    ----------
    svg : str
        An SVG file as Matplotlib writes it.
    name : str
        What no other figure of the page is called: the ids in this one begin with it.
    alt : str
        What the figure shows, for those who do not see it.

    Returns
    -------
    str
        HTML: the drawing, in a frame that scrolls where the page is too narrow for text that can be read.
    """
    root = ET.fromstring(svg)
    for parent in [*root.iter()]:
        for child in [it for it in parent if it.tag in (f"{_SVG}style", f"{_SVG}metadata")]:
            parent.remove(child)
    used = {it for element in root.iter() for value in element.attrib.values() for it in _REFERENCE.findall(value)}
    used |= {element.get(_LINK, "").removeprefix("#") for element in root.iter()}
    least = max(min(_text_sizes(svg), default=READABLE), READABLE)
    width = float(root.get("width").removesuffix("pt")) * PIXELS
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        element.attrib = dict(_attribute(key, value, name) for key, value in element.attrib.items())
    root.attrib = {
        "viewBox": root.get("viewBox"),
        "style": f"width: {ENLARGED * width / 16:.2f}rem; min-width: {width * READABLE / least / 16:.2f}rem",
        "role": "img",
        "aria-label": alt,
    }
    return f'<div class="drawing">{ET.tostring(root, encoding="unicode")}</div>'


def problems(svg):
    """List what keeps a figure from being read on a dark or on a narrow page.

    Parameters
    ----------
    svg : str
        An SVG file as Matplotlib writes it.

    Returns
    -------
    list of str
        Text that is too small, text and greys whose colour does not follow the theme.
    """
    smallest = min(_text_sizes(svg), default=READABLE)
    kept = {it for it in _COLOUR.findall(_DATA.sub("", svg)) if it not in (*DARK, plots.ON_LIGHT, plots.ON_DARK)}
    of_text = {it for tag in re.findall(r"<t(?:ext|span)\b[^>]*>", svg) for it in _COLOUR.findall(tag)}
    greys = {it for it in kept if max(bytes.fromhex(it[1:])) - min(bytes.fromhex(it[1:])) <= 16}
    found = [
        f"{it} in a figure does not follow the theme: take a colour of mlnotes.plots" for it in kept & of_text | greys
    ]
    if smallest < READABLE:
        found.append(f"text of {smallest:.1f} pixels in a figure is too small, at least {READABLE} are needed (SMALL)")
    return sorted(found)


def _text_sizes(svg):
    """List the sizes of the text in a figure, in CSS pixels."""
    return [float(it) * PIXELS for it in re.findall(r"<t(?:ext|span)\b[^>]*\bfont-size: ([\d.]+)px", svg)]


def _attribute(key, value, name):
    if key == _LINK:
        return "href", f"#{name}-{value[1:]}" if value.startswith("#") else value
    if key == "id":
        return key, f"{name}-{value}"
    value = re.sub(r" *font-family: [^;]*;?", "", value)
    value = _REFERENCE.sub(lambda it: f"{name}-{it[0]}", value)
    return key, _COLOUR.sub(lambda it: f"var({_variable(it[0])})" if it[0] in DARK else it[0], value)


def _variable(colour):
    return f"--figure-{colour[1:]}"
