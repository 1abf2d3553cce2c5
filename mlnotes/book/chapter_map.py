"""The map of the start page: chapters in reading order, with an arc from each to what needs it."""

import html
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import yaml

GUTTER = 100  # width of the drawing in its own units; one unit of height is a row
HEADING = 1.5  # height of a part's heading, in rows


@dataclass(frozen=True)
class Chapter:
    """A chapter of the book.

    Parameters
    ----------
    name : str
        ``part/name``, as in the paths of the project.
    title : str
        What the reader calls it.
    part : str
        The heading it stands under.
    needs : tuple of str
        Names of the chapters to read before, without those that these need themselves.
    also : tuple of str
        What else a reader may look for, and find in this chapter.
    """

    name: str
    title: str
    part: str
    needs: tuple = ()
    also: tuple = ()

    @property
    def names(self):
        """All that the chapter is called, by its page, its module and its readers."""
        return (self.title, self.name.split("/")[-1].replace("_", " "), *self.also)


def read_map(path):
    """Read the chapters from ``chapters/map.yml``.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    list of Chapter
        In reading order.

    Raises
    ------
    ValueError
        If a chapter needs one that does not stand before it.
    """
    chapters = []
    for part, names in yaml.safe_load(Path(path).read_text(encoding="utf-8")).items():
        for name, entry in names.items():
            needs = tuple(entry.get("needs", ()))
            if late := set(needs) - {chapter.name for chapter in chapters}:
                raise ValueError(f"{name} needs {', '.join(sorted(late))}, which must stand before it")
            chapters.append(Chapter(name, entry["title"], part, needs, tuple(entry.get("also", ()))))
    return chapters


def draw(chapters):
    """Draw the map: rows of text that read well alone, and arcs beside them.

    Parameters
    ----------
    chapters : list of Chapter
        In reading order.

    Returns
    -------
    str
        HTML for the page ``chapters/index``.
    """
    rows, height = {}, 0
    for _, members in groupby(chapters, lambda chapter: chapter.part):
        height += HEADING
        for chapter in members:
            rows[chapter.name] = height + 0.5
            height += 1
    titles = {chapter.name: chapter.title for chapter in chapters}
    parts = "".join(
        f"<h3>{html.escape(part)}</h3><ol>{''.join(_item(chapter, titles) for chapter in members)}</ol>"
        for part, members in groupby(chapters, lambda chapter: chapter.part)
    )
    arcs = [_arc(need, chapter.name, rows) for chapter in chapters for need in chapter.needs]
    return (
        f'<div class="chapter-map" style="--rows: {height:g}"><style>{"".join(map(_highlight, rows))}</style>'
        f'<svg viewBox="0 0 {GUTTER} {height:g}" preserveAspectRatio="none" aria-hidden="true">{"".join(arcs)}</svg>'
        f"{parts}</div>"
    )


def _item(chapter, titles):
    link = f'<a href="{chapter.name}.html">{html.escape(chapter.title)}</a>'
    needs = html.escape(", ".join(titles[need] for need in chapter.needs))
    return (
        f'<li data-chapter="{_key(chapter.name)}"><span class="title">{link}</span>'
        + (f'<span class="needs">needs {needs}</span>' if needs else "")
        + "</li>"
    )


def _arc(start, end, rows):
    """Bulge further, the more rows are passed over."""
    longest = max(rows.values()) - min(rows.values())
    left = GUTTER * (1 - (0.15 + 1.15 * ((rows[end] - rows[start]) / longest) ** 0.6))
    path = f"M{GUTTER} {rows[start]:g}C{left:.1f} {rows[start]:g} {left:.1f} {rows[end]:g} {GUTTER} {rows[end]:g}"
    return f'<path class="of-{_key(start)} of-{_key(end)}" d="{path}"/>'


def _highlight(name):
    """Show the arcs of a row that is pointed at or focused."""
    row = f'[data-chapter="{_key(name)}"]:is(:hover,:focus-within)'
    return f".chapter-map:has({row}) .of-{_key(name)}{{stroke:var(--arc-active);opacity:1}}"


def _key(name):
    return name.split("/")[-1].replace("_", "-")
