"""What all widgets share: two-way traits with a kernel, and a page that also works without one."""

import base64
import functools
import html
import json
import re

import anywidget
import ipywidgets
import traitlets

from mlnotes.widgets import stylesheet

MINUS = re.compile(r"(?<!\w)-(?=\d)")  # before a number, and not within a word


class Widget(anywidget.AnyWidget):
    """A widget that leaves its state, its picture and their description behind in the notebook.

    A subclass has synchronised traits, `picture`, `describe`, and its own ``name`` and ``_esm``.

    Parameters
    ----------
    caption : str
        One line that stands above the widget.
    description : str
        What the picture shows, for those who cannot see it; `describe` unless given.
    **traits
        The traits of the subclass.
    """

    name = None  # of its ES module
    _css = stylesheet()

    caption = traitlets.Unicode().tag(sync=True)
    description = traitlets.Unicode().tag(sync=True)

    def picture(self):
        """Draw the present state as SVG text; the same state always gives the same text."""
        raise NotImplementedError

    def describe(self):
        """Say in words what `picture` shows."""
        raise NotImplementedError

    def state(self):
        """Collect what the page needs: the synchronised traits of the subclass.

        Returns
        -------
        dict
            JSON values by trait names, sorted.
        """
        own = set(self.traits(sync=True)) - set(ipywidgets.DOMWidget.class_traits())
        state = {name: getattr(self, name) for name in sorted(own) if not name.startswith("_")}
        return state | {"description": self.description or MINUS.sub("−", self.describe())}

    def to_html(self):
        """Write what a page shows: the picture and its description, and the state that a script makes live.

        Returns
        -------
        str
            HTML. What survives JupyterLab's sanitiser in a notebook that is not trusted is the figure.
        """
        state = self.state()
        # A script element ends at the first "</script", wherever it stands: "<" must not appear in the JSON.
        data = json.dumps(state, sort_keys=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
        source = base64.b64encode(self.picture().encode()).decode()
        caption = f"<strong>{html.escape(state['caption'])}</strong> " if state["caption"] else ""
        return (
            f'<div class="mlnotes-widget" data-widget="{self.name}">\n'
            f'<figure><img src="data:image/svg+xml;base64,{source}" alt="{html.escape(self.alt())}" '
            'style="max-width:100%;height:auto">\n'
            f"<figcaption>{caption}{html.escape(state['description'])}</figcaption></figure>\n"
            f'<script type="application/json">{data}</script>\n</div>'
        )

    def alt(self):
        """Name the picture; the description stands beneath it."""
        return f"{self.caption or self.name.replace('_', ' ').capitalize()}, described below"

    def __repr__(self):
        # The default holds an address, which no two runs share.
        return f"<{type(self).__name__}>"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "text/html": self.to_html()}, metadata


def validate(*names):
    """Check traits whenever they are set, as ``traitlets.validate`` does, and undo what was set with a bad one.

    By itself, traitlets undoes it only if what a method raises is a TraitError.

    Parameters
    ----------
    *names : str
        The traits.

    Returns
    -------
    callable
        A decorator of methods that take a proposal and return its value or raise a ValueError.
    """

    def decorate(check):
        @functools.wraps(check)
        def checked(self, proposal):
            try:
                return check(self, proposal)
            except ValueError as error:
                raise _Refused(*error.args).with_traceback(error.__traceback__) from None

        return traitlets.validate(*names)(checked)

    return decorate


# A traceback ends with the name of an error, which should be one that the reader knows: traitlets undoes only its own.
_Refused = type("ValueError", (ValueError, traitlets.TraitError), {"__module__": "builtins"})


def require_between(name, lowest, highest, value, unit=""):
    """Refuse what lies outside of a range.

    Parameters
    ----------
    name : str
        What the message calls it.
    lowest, highest : float
        The ends of the range, which belong to it.
    value : float
        The number.
    unit : str
        What the message says after the range.

    Returns
    -------
    float
        The number.

    Raises
    ------
    ValueError
        If it lies outside, or is nan.
    """
    if not lowest <= value <= highest:
        raise ValueError(f"{name} must be {lowest} to {highest}{unit}, got {value}")
    return value


def shown(x):
    """Write a number in at most four digits.

    Parameters
    ----------
    x : float
        The number.

    Returns
    -------
    str
        Its digits, with a true minus sign.
    """
    return f"{x:.4g}".replace("-", "−")


def svg(width, height, *parts):
    """Frame SVG parts as a picture on white, which can be read on a page of any theme.

    Parameters
    ----------
    width, height : float
        In pixels.
    *parts : str
        SVG elements.

    Returns
    -------
    str
        The text of an SVG file.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="system-ui, sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" rx="6" fill="#ffffff"/>{"".join(parts)}</svg>'
    )


def text(x, y, content, anchor="start", **attributes):
    """Place text in a picture.

    Parameters
    ----------
    x, y : float
        In pixels, from the top left.
    content : str
        Any text; it is escaped.
    anchor : {"start", "middle", "end"}
        Which end of the text stands at ``x``.
    **attributes
        More attributes of the element, with ``_`` for ``-``.

    Returns
    -------
    str
        An SVG element.
    """
    more = "".join(f' {name.replace("_", "-")}="{html.escape(str(value))}"' for name, value in attributes.items())
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{html.escape(content)}</text>'
