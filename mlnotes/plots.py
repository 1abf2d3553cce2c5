"""The figures of the chapters: each function draws into the axes that it is given.

Importing this module has notebooks show figures as SVG, whose text stays text and whose colours follow the theme of the
book's pages. A figure takes its colours from the constants of this module, and no text of it is smaller than ``SMALL``.
"""

import re
import sys
import warnings
from itertools import pairwise

import numpy as np
from matplotlib import rc_context
from matplotlib.patches import Ellipse, Rectangle
from matplotlib.ticker import FixedLocator, LogFormatterSciNotation, LogLocator, MultipleLocator, NullFormatter

# Text, what stands beside it, points in the background, and lines that only guide the eye.
INK, GREY, FAINT, GUIDE = "#1d222b", "#545c69", "#8b93a0", "#c9ced6"
BLUE, ORANGE, GREEN, PURPLE = "#0b5fa5", "#b3490a", "#1a7a4c", "#7b3fa0"
PALE_BLUE, PALE_ORANGE, PALE_GREEN = "#cfe0f1", "#f6d9c4", "#cfe8da"
# What is written on the colours of a map, which are the same on a light and on a dark page: not quite black and white.
ON_LIGHT, ON_DARK = "#010101", "#fefefe"
_AROUND = np.array([(1, 0.7), (1, -0.7), (-1, 0.7), (-1, -0.7), (0, 1), (0, -1), (1, 0), (-1, 0)])
SMALL = 8.5  # points, of the labels of many ticks and of numbers in cells
_COLORS, _MARKERS, _HATCHES = (BLUE, ORANGE, GREEN, PURPLE), "o^sD", ("", "///", "xxx")


def _each(groups, *looks):
    """Pair each group, (name, values), with a colour, a marker or whatever tells it from the others."""
    most = min(map(len, looks))
    if len(groups) > most:
        raise ValueError(f"at most {most} groups can be told apart, got {len(groups)}: {', '.join(groups)}")
    return zip(groups.items(), *looks, strict=False)


def _draw_as_svg():
    """Have notebooks show figures as SVG, without the date and the version that Matplotlib would write into it.

    Before a figure is shown, pyplot would draw it into pixels that nobody sees.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        from matplotlib import pyplot
        from matplotlib_inline.config import InlineBackend

        pyplot.uninstall_repl_displayhook()

        backend = InlineBackend.instance(parent=shell)
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        backend.print_figure_kwargs = {**backend.print_figure_kwargs, "metadata": nothing}
        backend.figure_formats = {"svg"}


_draw_as_svg()
# Matplotlib warns when looking for a place took it a second, and so whenever the machine is busy.
warnings.filterwarnings("ignore", "Creating legend with loc=.best. can be slow")


class _Powers(LogFormatterSciNotation):
    """Label powers of ten as text, "10⁻³": Matplotlib's own formula has an exponent too small to be read."""

    _RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

    def __call__(self, x, pos=None):
        formula = re.search(r"\\mathdefault\{(.*)\}\$$", super().__call__(x, pos))
        if formula is None:
            return ""
        return re.sub(r"\^\{(.*)\}", lambda it: it[1].translate(self._RAISED), formula[1].replace(r"\times", "×"))


def _label_powers(*axes):
    for axis in axes:
        axis.set_major_formatter(_Powers())
        axis.set_minor_formatter(_Powers(labelOnlyBase=False))


def _ink_on(color):
    """Choose what can be read on a colour of a map."""
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color[:3]])
    return ON_LIGHT if linear @ (0.2126, 0.7152, 0.0722) > 0.179 else ON_DARK


def _write_into_cells(image, form):
    values = image.get_array()
    for i, j in np.ndindex(values.shape):
        text, color = form.format(values[i, j]).replace("-", "−"), _ink_on(image.to_rgba(values[i, j]))
        image.axes.text(j, i, text, ha="center", va="center", size=SMALL, color=color)


def _direction(x, y):
    """Tell where a vector points: upwards, if it points nowhere."""
    return np.array([x, y]) / np.hypot(x, y) if x or y else np.array([0.0, 1.0])


def _shared_colour_bar(image, label):
    """Draw one colour bar for all plots of a figure, with the first of them; None where it stands already."""
    figure = image.axes.figure
    if figure.axes[-1].get_label() == "<colorbar>":
        return None
    return figure.colorbar(image, ax=figure.axes, label=label, shrink=0.8)


def arrows(ax, vectors):
    """Draw vectors of the plane from the origin, each with its name at the tip.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    vectors : dict of str to array (2,)
        The vectors by name.
    """
    for (name, (x, y)), color in _each(vectors, _COLORS):
        ax.annotate(
            "", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
        )
        away = _direction(x, y) * (5 + 3 * len(name), 8)  # a long name needs room at its side
        ax.annotate(
            name, (x, y), away, textcoords="offset points", color=color, ha="center", va="center", weight="bold"
        )
    ends = np.array([(0, 0), *vectors.values()])
    low, high = ends.min(0), ends.max(0)
    ax.set(xlim=(low[0] - 0.6, high[0] + 0.6), ylim=(low[1] - 0.6, high[1] + 0.6), aspect="equal")
    ax.axhline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.axvline(0, color=GUIDE, lw=0.8, zorder=0)


def projection(ax, b, onto, foot, names=("b", "a", "projection", "b − projection")):
    """Draw a vector, the line it is projected onto, the foot of the projection and what is left.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    b, onto : array (2,)
        The vector, and the one that spans the line.
    foot : array (2,)
        The projection of ``b`` onto ``onto``.
    names : tuple of str
        Of the vector, of the one that spans the line, of the projection, and of what is left.
    """
    arrows(ax, {names[1]: onto, names[0]: b})
    _interrupt_lines(ax)
    ax.axline((0, 0), onto, color=FAINT, lw=0.8, zorder=0)
    ax.plot(*np.transpose([b, foot]), ":", color=GREY)
    ax.plot(*foot, "o", color=GREEN)
    away = _direction(*np.subtract(foot, b)) * 10
    ax.annotate(
        names[2], foot, away, textcoords="offset points", color=GREEN, va="center",
        ha="left" if away[0] > 0 else "right",
    )  # fmt: skip
    ax.annotate(names[3], (np.asarray(b) + foot) / 2, (6, 2), textcoords="offset points", color=GREY)


def outline(ax, before, after, title):
    """Draw a shape of the plane before and after something was done to it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    before, after : array (2, n)
        Corners, one in each column, in the order of a walk round the shape. The first is drawn as an outline, the
        second filled.
    title : str
        What was done.
    """
    ax.fill(*before, facecolor="none", edgecolor=GREY, lw=1.5, ls="--")
    ax.fill(*after, facecolor=BLUE, alpha=0.7)
    ax.axhline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.axvline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.set(aspect="equal", title=title)


def level_lines(ax, a, values, reach=4.0):
    """Draw the points of the plane whose dot product with one vector has a given value.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    a : array (2,)
        The vector.
    values : sequence of float
        One line for each.
    reach : float
        How far the picture goes from the origin.
    """
    a = np.asarray(a, float)
    along = np.array([-a[1], a[0]])
    for value in values:
        on_line = value * a / (a @ a)
        ax.axline(on_line, on_line + along, color=GREY if value else INK, lw=0.9, ls="-" if value >= 0 else "--")
        label, ground = on_line + along * reach * 0.62 / np.linalg.norm(a), {"fc": "white", "ec": "none", "pad": 1}
        ax.annotate(f"{value:g}".replace("-", "−"), label, ha="center", va="center", size=SMALL, bbox=ground)
    arrows(ax, {"a": a})
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))


def basis_grid(ax, basis, points):
    """Draw the grid that a basis lays over the plane, and vectors with their names.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    basis : array (2, 2)
        One basis vector in each column.
    points : dict of str to array (2,)
        Vectors in the standard basis, by name.
    """
    for i in range(-6, 7):
        for one, other in (basis.T, basis.T[::-1]):
            ax.axline(i * one, i * one + other, color=FAINT, lw=0.8, zorder=0)
    for name, (x, y) in zip("₁₂", basis.T, strict=True):
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0})
        ax.annotate(f"b{name}", (x, y), (3, -10), textcoords="offset points", color=GREY)
    arrows(ax, points)


def curves(ax, x, ys, xlabel, ylabel, scale="linear", ticks=None):
    """Draw curves over a common axis, named in a legend.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x : array (n,)
        Positions.
    ys : dict of str to array (n,)
        One curve for each name.
    xlabel, ylabel : str
        What the axes measure, with units.
    scale : {"linear", "log x", "log y", "log"}
        Which axes are logarithmic.
    ticks : sequence of float, optional
        Positions to be labelled, in place of powers of ten.
    """
    for name, y in ys.items():
        ax.plot(x, y, label=name)
    if scale in ("log x", "log"):
        ax.set_xscale("log")
    if scale in ("log y", "log"):
        ax.set_yscale("log")
    if ticks is not None:
        ax.xaxis.set(major_locator=FixedLocator(ticks), major_formatter="{x:,g}", minor_locator=FixedLocator([]))
    if scale != "linear":
        _label_logarithms(ax.figure)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if len(ys) > 1:
        ax.legend(loc="best")


def _label_logarithms(figure):
    """Label the logarithmic axes of a figure in one notation: in powers, as soon as one of them asks for it.

    An axis of hardly more than two powers of ten, which is read by labels between them, has numbers in full.
    """
    found = [(it.xaxis, it.dataLim.intervalx) for it in figure.axes if it.get_xscale() == "log"]
    found = [(axis, ends) for axis, ends in found if not isinstance(axis.get_major_locator(), FixedLocator)]
    found += [(it.yaxis, it.get_ylim()) for it in figure.axes if it.get_yscale() == "log"]
    powers = any(_asks_for_powers(axis, *ends) for axis, ends in found)
    for axis, (low, high) in found:
        if axis.axis_name == "x":
            wide = high >= (100 if powers else 500) * low
            axis.set_major_locator(LogLocator(subs=(1,) if wide or high >= 1e5 else _labelled(low, high)))
        else:
            wide = high >= 100 * low
            axis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        in_full = not powers if wide else 1e-3 <= low < high < 1e6
        axis.set_major_formatter("{x:,g}" if in_full else _Powers(labelOnlyBase=False))
        axis.set_minor_formatter(NullFormatter())


def _asks_for_powers(axis, low, high):
    return high >= (500 if axis.axis_name == "x" else 100) * low and not 1e-3 <= low < high < 2e4


def _labelled(low, high):
    """Choose which digits are labelled on a level logarithmic axis: as many as find room side by side."""
    room = 270 / (1.1 * np.log10(high / low))  # points for a power of ten, in a figure of the usual width
    label = 6 * len(f"{high:,.0f}") + 6
    return next((digits for digits in ((1, 2, 5), (1, 3)) if label <= room * np.log10(digits[1])), (1,))


def points(ax, xy, groups, xlabel, ylabel):
    """Scatter points of several groups, each with its own marker.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    xy : dict of str to array (n, 2)
        The points of each group.
    groups : sequence of str
        The names in the order of the legend.
    xlabel, ylabel : str
        What the axes measure, with units.
    """
    for (name, _), marker, color in _each(dict.fromkeys(groups), _MARKERS, _COLORS):
        ax.scatter(*xy[name].T, s=14, marker=marker, color=color, alpha=0.7, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(loc="best")


def cloud(ax, x, y):
    """Scatter many points in the background, for curves to be drawn over.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x, y : array (n,) or (n, 1)
        Where the points lie.
    """
    ax.scatter(x, y, s=9, color=FAINT, linewidth=0)


def histograms(ax, groups, xlabel):
    """Draw the distributions of several groups over each other: the first filled, the others as outlines.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    groups : dict of str to array (n,)
        The values of each group.
    xlabel : str
        What they measure, with units.
    """
    edges = np.histogram_bin_edges(np.concatenate(list(groups.values())), 40)
    for i, ((name, values), color, style) in enumerate(_each(groups, _COLORS, ("-", "-", "--"))):
        if i == 0:
            ax.hist(values, edges, color=color, alpha=0.6, edgecolor="white", label=name)
        else:  # outlines, which hide nothing behind them
            ax.hist(values, edges, histtype="step", color=color, lw=1.8, ls=style, label=name)
    ax.set(xlabel=xlabel, ylabel="count")
    ax.legend(loc="best")


def errors_below(ax, x, errors, bounds, xlabel):
    """Draw measured relative errors as points and what they may not exceed as a line.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x : array (n,)
        Positions.
    errors, bounds : array (n,)
        Measured errors, and their bounds.
    xlabel : str
        What the positions measure.
    """
    order = np.argsort(x)
    ax.plot(x, errors, "o", ms=4, color=BLUE, alpha=0.7, label="measured")
    ax.plot(x[order], bounds[order], color=ORANGE, label="bound")
    ax.set(xlabel=xlabel, ylabel="relative error", xscale="log", yscale="log")
    _label_powers(ax.xaxis, ax.yaxis)
    ax.legend(loc="best")


def bars(ax, groups, labels, ylabel):
    """Draw bars side by side, with their values above them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    groups : dict of str to array (n,)
        One row of bars for each name.
    labels : sequence of str
        Names of the n places.
    ylabel : str
        What the height measures, with units.
    """
    width = 0.8 / len(groups)
    for i, ((name, heights), color, hatch) in enumerate(_each(groups, _COLORS, _HATCHES)):
        x = np.arange(len(labels)) + (i - (len(groups) - 1) / 2) * width
        drawn = ax.bar(x, heights, width * 0.92, label=name, color=color, hatch=hatch, edgecolor="white")
        texts = [f"{height:.2f}" for height in heights]
        narrow = len(groups) * len(labels) > 12
        if narrow:  # ".33"
            texts = [text.removeprefix("0") for text in texts]
        ax.bar_label(drawn, texts, size=SMALL if narrow else 10, padding=1)
    ax.set_xticks(np.arange(len(labels)), labels)
    ax.set(ylabel=ylabel)
    if len(groups) > 1:
        ax.legend(loc="best")


def heat_map(ax, weights, rows, columns, title="", numbers=False):
    """Draw attention weights, queries as rows and keys as columns, on the fixed scale from 0 to 1.

    The outer axes of a figure are called so, unless they have names already; what a mask hides is hatched.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    weights : array (l, s)
        Weights from 0 to 1, nan where a mask hides the key.
    rows, columns : sequence of str
        Names of the queries and keys; empty for none.
    title : str
        What is shown.
    numbers : bool
        Whether to print each weight into its cell.
    """
    image = ax.imshow(weights, vmin=0, vmax=1)
    # Short names stand upright: a "c" that lies down is read as a "u".
    ax.set_xticks(range(len(columns)), columns, rotation=90 * any(len(str(it)) > 2 for it in columns), size=SMALL)
    ax.set_yticks(range(len(rows)), rows, size=SMALL)
    hidden, place = np.isnan(weights).any(), ax.get_subplotspec()
    ax.set_xlabel(ax.get_xlabel() or ("key" if place.is_last_row() else ""), size=SMALL)
    ax.set_ylabel(ax.get_ylabel() or ("query" if place.is_first_col() else ""), size=SMALL)
    # On a dark page the darkest colour could be taken for no colour at all; the frame shows how far the map reaches.
    ax.patch.set(hatch="////" if hidden else None, edgecolor=GUIDE)
    ax.spines[:].set(visible=hidden, color=GUIDE, linewidth=0.8)
    ax.tick_params(length=0)
    ax.set_title(title, size=SMALL)
    if numbers:
        _write_into_cells(image, "{:.2f}")
    bar = _shared_colour_bar(image, "weight")
    if bar is not None:
        bar.ax.yaxis.label.set_size(SMALL)
        bar.ax.tick_params(labelsize=SMALL)


def image(ax, pixels, title=""):
    """Draw a small grey-scale picture, dark on light.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    pixels : array (m, n)
        Brightness; the largest value is drawn black.
    title : str
        What is shown.
    """
    ax.imshow(pixels, cmap="Greys")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(True)
    ax.set_title(title)


def reach_of_averages(ax, values, results):
    """Draw what one average of points can reach, and what one average for each coordinate can.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    values : dict of str to array (2,)
        Three points, by name: the corners of what one average reaches.
    results : dict of str to array (2,)
        Averages to mark, by name.
    """
    corners = np.array([*values.values()])
    low, size = corners.min(0), np.ptp(corners, axis=0)
    ax.add_patch(Rectangle(low, *size, fc="none", ec=GREY, ls="--", label="an average for each coordinate"))
    ax.fill(*corners.T, color=BLUE, alpha=0.2, label="one average for both")
    for name, point in values.items():
        ax.plot(*point, "o", color=BLUE)
        ax.annotate(name, point, (7, 7), textcoords="offset points", color=BLUE)
    for (name, point), marker, color in _each(results, "sD^", (ORANGE, GREEN, PURPLE)):
        ax.plot(*point, marker, color=color, ms=7)
        ax.annotate(name, point, (-9, -4), textcoords="offset points", color=color, ha="right")
    ax.margins(0.1, 0.16)  # room for names beside the outermost points
    ax.set(xlabel="first coordinate", ylabel="second coordinate", aspect="equal")
    legend_above(ax)


def column_owners(ax, layouts):
    """Draw the columns of matrices as cells that say whose they are.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    layouts : dict of str to sequence of str
        For each matrix the owner of each of its columns. Owners of one initial share a colour and a hatching.
    """
    initials = dict.fromkeys(sorted({owner[0] for owners in layouts.values() for owner in owners}, reverse=True))
    looks = {initial: look for (initial, _), *look in _each(initials, (PALE_BLUE, PALE_ORANGE, PALE_GREEN), _HATCHES)}
    for y, owners in enumerate(layouts.values()):
        for x, owner in enumerate(owners):
            color, hatch = looks[owner[0]]
            ax.add_patch(Rectangle((x, y + 0.12), 1, 0.76, fc=color, hatch=hatch, ec="white"))
            ground = {"fc": color, "ec": "none", "pad": 1}
            ax.text(x + 0.5, y + 0.5, owner, ha="center", va="center", size=SMALL, bbox=ground)
    ax.set(xlim=(0, max(map(len, layouts.values()))), ylim=(len(layouts), 0), xlabel="column, from 0")
    ax.set_xticks(np.arange(0, ax.get_xlim()[1], 2) + 0.5, [f"{x:g}" for x in np.arange(0, ax.get_xlim()[1], 2)])
    ax.set_yticks(np.arange(len(layouts)) + 0.5, layouts)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def position_table(ax, table, xlabel, title="", numbers=False):
    """Draw what each position is given, one position in each row.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    table : array (n, d)
        Numbers from -1 to 1: the colours are on this scale, also if none is negative.
    xlabel : str
        What the columns are.
    title : str
        What is shown.
    numbers : bool
        Whether to print each number into its cell, without decimals.
    """
    drawn = ax.imshow(table, vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    if numbers:
        _write_into_cells(drawn, "{:.0f}")
    else:
        ax.figure.colorbar(drawn, ax=ax, ticks=[-1, 0, 1])
    ax.set(xlabel=xlabel, ylabel="position")
    ax.xaxis.set_major_locator(MultipleLocator(1 if table.shape[1] <= 8 else 5))
    ax.set_title(title)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)


def marks(ax, heights, places):
    """Draw lines across axes that have their limits already, each with its name at its beginning.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    heights, places : dict of str to float
        Level lines and upright ones, by name.
    """
    looks = {"textcoords": "offset points", "color": GREY}
    for name, y in heights.items():
        ax.axhline(y, color=GREY, ls=":", lw=1.2, zorder=0)
        ax.annotate(name, (0, y), (3, 2), xycoords=("axes fraction", "data"), **looks)
    for name, x in places.items():
        ax.axvline(x, color=GREY, ls=":", lw=1.2, zorder=0)
        ax.annotate(name, (x, 0), (3, 3), xycoords=("data", "axes fraction"), **looks)


def legend_above(ax):
    """Put the legend above the axes, where no curve can run through it and nothing gets narrower.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Axes with named curves.
    """
    ax.figure.draw_without_rendering()  # which puts the axes in their place
    for columns in (len(ax.get_legend_handles_labels()[1]), 3, 2, 1):
        legend = ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2, columnspacing=1.0)
        if legend.get_window_extent().x1 <= ax.figure.bbox.x1:
            return


def matrix(ax, values, rows, columns, title, limit):
    """Draw a small matrix of signed numbers, each printed in its cell, blue below zero and orange above.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    values : array (m, n)
        The numbers.
    rows, columns : sequence of str
        Names of rows and columns; empty for none.
    title : str
        What is shown.
    limit : float
        The size from which on the colour is as strong as it gets, which is pale enough for the numbers.
    """
    for (i, j), value in np.ndenumerate(values):
        color = ORANGE if value > 0 else BLUE, 0.4 * min(1, abs(value) / limit)  # over the page, light or dark
        ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, fc=color, ec=GUIDE, lw=0.5))
        ax.text(j, i, f"{value:.3g}".replace("-", "−"), ha="center", va="center", size=SMALL)
    ax.set(xlim=(-0.5, len(values[0]) - 0.5), ylim=(len(values) - 0.5, -0.5), aspect="equal")
    ax.set_xticks(range(len(columns)), columns, size=SMALL)
    ax.set_yticks(range(len(rows)), rows, size=SMALL)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_title(title)


def names_in_the_plane(ax, xy, names, groups):
    """Write names at their places in the plane, each group in its own colour and with its own mark.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    xy : array (n, 2)
        The places.
    names : sequence of n str
        What to write.
    groups : dict of str to sequence of str
        The names in each group, by the name of the group; a name that is in none is grey.
    """
    xy = np.asarray(xy)
    looks = {name: look for (_, members), *look in _each(groups, _MARKERS, _COLORS) for name in members}
    for (x, y), name in zip(xy, names, strict=True):
        marker, color = looks.get(name, (".", GREY))
        ax.plot(x, y, marker, color=color, ms=4)
    for (name, _), marker, color in _each(groups, _MARKERS, _COLORS):
        ax.plot([], [], marker, color=color, label=name)
    ax.set(aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    ax.margins(0.12)
    ax.legend()
    for place, name, shift in zip(xy, names, _free_places(ax, xy, names), strict=True):
        color = looks.get(name, (".", GREY))[1]
        look = {"color": color, "ha": "center", "va": "center_baseline"}
        ax.annotate(name, place, shift, textcoords="offset points", **look)


def _free_places(ax, xy, names):
    """Choose for each name in turn, around its mark, the place that is farthest from other marks and names."""
    ax.figure.draw_without_rendering()  # before, nobody knows how many points a coordinate is long
    marks = ax.transData.transform(xy) * 72 / ax.figure.dpi
    taken = [(mark, np.array([2.0, 2.0])) for mark in marks]
    for i, (mark, name) in enumerate(zip(marks, names, strict=True)):
        half = np.array([3.1 * len(name), 3.6])  # of letters of 10 points
        shifts = [side * (half + 3) for side in _AROUND]
        others = taken[:i] + taken[i + 1 :]
        room = [min(np.max(np.abs(mark + it - middle) - half - size) for middle, size in others) for it in shifts]
        best = int(np.argmax(np.minimum(room, 3).round(1)))  # three points are room enough: then the first will do
        taken.append((mark + shifts[best], half))
        yield shifts[best]


def chunks_of_a_mask(ax, ends, labels):
    """Draw a causal mask that is cut into chunks of rows: keys that each chunk finds, and keys that it brings.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    ends : sequence of int
        Where the chunks begin, and the end of the last.
    labels : sequence of str
        Names of the tokens.
    """
    for start, end in pairwise(ends):
        for i in range(start, end):
            found = ax.barh(i, start, 0.84, color=BLUE, alpha=0.35)
            brought = ax.barh(i, i + 1 - start, 0.84, left=start, color=ORANGE, hatch="///", edgecolor="white")
        ax.axhline(end - 0.5, color=GREY, lw=0.8)
    ax.set(xlim=(0, len(labels)), ylim=(len(labels) - 0.5, -0.5), ylabel="queries", xlabel="keys")
    ax.set_xticks(np.arange(len(labels)) + 0.5, labels, rotation=90, size=SMALL)
    ax.set_yticks(range(len(labels)), labels, size=SMALL)
    ax.tick_params(length=0)
    ax.legend([found, brought], ["in the cache", "from the chunk"], loc="upper right")


def points_on_lines(ax, x, points, lines, xlabel, ylabel):
    """Draw what was measured as points on what a formula says as lines, on logarithmic axes.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x : array (n,)
        Positions of the lines; the points stand at the first of them.
    points, lines : dict of str to sequence of numbers
        Measured values and the formula's, under the same names.
    xlabel, ylabel : str
        What the axes measure, with units.
    """
    for (name, values), color, marker in _each(lines, _COLORS, "os^D"):
        ax.loglog(x, values, color=color, lw=1.2, label=f"{name}, formula")
        measured = points[name]
        ax.loglog(x[: len(measured)], measured, marker, color=color, label=f"{name}, measured")
    _label_powers(ax.xaxis, ax.yaxis)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(loc="best")


def shared_heads(ax, n_heads, n_groups, title):
    """Draw query heads above the key/value heads that they share.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    n_heads, n_groups : int
        How many there are of each.
    title : str
        What is shown.
    """
    r = n_heads // n_groups
    for i in range(n_heads):
        shared = r * (i // r) + (r - 1) / 2
        ax.plot([i, shared], [1, 0], "-", color=GREY, lw=1, zorder=0)
        ax.plot(i, 1, "o", color=BLUE, ms=9)
        ax.plot(shared, 0, "s", color=ORANGE, ms=10)
    ax.set(xlim=(-0.7, n_heads - 0.3), ylim=(-0.4, 1.4), xticks=[], yticks=[0, 1])
    ax.set_yticklabels(["keys, values", "queries"] if ax.get_subplotspec().is_first_col() else ["", ""])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(title)


def masks(ax, allowed, title="", rows=None):
    """Draw what each query may look at: a filled square with a dot for yes, an empty one for no.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    allowed : boolean array (l, s)
        True where query i may look at key j.
    title : str
        What is shown.
    rows : sequence of int, optional
        The positions of the queries, where their rows are drawn, in order; counted from 0 unless given.
    """
    rows = range(len(allowed)) if rows is None else rows
    n_keys = allowed.shape[1]
    for (i, j), seen in np.ndenumerate(allowed):
        row = rows[i]
        ax.add_patch(Rectangle((j - 0.45, row - 0.45), 0.9, 0.9, fc=BLUE if seen else "none", ec=BLUE, lw=0.8))
        if seen:
            ax.plot(j, row, "o", ms=3, color="white")
    ax.set(xlim=(-0.6, n_keys - 0.4), ylim=(rows[-1] + 0.6, -0.6), aspect="equal", xlabel="key")
    ax.set_xticks(range(n_keys))
    ax.set_yticks(rows)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    top = 1 - rows[0] / (rows[-1] + 1.2)  # of the rows, where nothing is drawn above them
    ax.set_ylabel("query", y=top / 2)
    ax.set_title(title, y=top)


def tower(ax, parts, x=0.0, block=None, title=""):
    """Draw what tokens pass through, from bottom to top, and the paths that lead around some of it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    parts : sequence of str
        The parts; what comes in and what goes out stands without a box. ``"+2"`` is a sum with what has passed by the
        two parts before it.
    x : float
        Where the tower stands; it is 3.1 wide.
    block : tuple of int, optional
        The first and the last part of a block that is repeated.
    title : str
        What is shown.
    """
    colors, last = {"attention": PALE_BLUE, "norm": PALE_GREEN, "feed-forward": PALE_ORANGE}, len(parts) - 1
    for i, part in enumerate(parts):
        if i < last:
            _arrow(ax, (x, i + (0.22 if part[0] == "+" else 0.28)), (x, i + (0.78 if parts[i + 1][0] == "+" else 0.72)))
        if part[0] == "+":
            start, side = i - int(part[1:]) - 0.54, x + 1.35  # below the head of the arrow
            ax.plot([x, side, side], [start, start, i], color=INK, lw=1.2, ls="-")
            _arrow(ax, (side, i), (x + 0.2, i))
            ax.add_patch(Ellipse((x, i), 0.4, 0.44, fc="none", ec=INK, lw=1.2))
            ax.plot([x - 0.11, x + 0.11], [i, i], color=INK, lw=1.2, ls="-")
            ax.plot([x, x], [i - 0.12, i + 0.12], color=INK, lw=1.2, ls="-")
            continue
        if 0 < i < last:
            fill = next((color for name, color in colors.items() if name in part), "none")
            ax.add_patch(Rectangle((x - 1.15, i - 0.28), 2.3, 0.56, fc=fill, ec=INK, lw=0.8))
        ax.text(x, i, part, ha="center", va="center", size=9)
    if block is not None:
        low, high = block[0] - 0.64, block[1] + 0.4
        ax.add_patch(Rectangle((x - 1.55, low), 3.1, high - low, fc="none", ec=GREY, lw=1, ls="--"))
    ax.set(xlim=(-1.65, x + 1.65), ylim=(-0.4, last + 0.4), xticks=[], yticks=[], title=title)
    ax.spines[:].set_visible(False)


def handed_over(ax, start, end, label):
    """Draw a path from the top of one tower to a part of another at its right.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    start, end : tuple of float
        Where it begins, and the middle of the part to which it leads.
    label : str
        What is handed over.
    """
    (x, y), (right, top) = start, end
    middle = (x + right) / 2
    ax.plot([x, x, middle, middle], [y, y + 0.3, y + 0.3, top], color=BLUE, lw=1.6, ls="-")
    _arrow(ax, (middle, top), (right - 1.15, top), BLUE)
    ax.text((x + middle) / 2, y + 0.4, label, ha="center", va="bottom", color=BLUE, size=9)


def balls(ax, circles):
    """Draw the unit circles of several norms over each other.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    circles : dict of str to array (n, 2)
        A walk round each, by name.
    """
    for (name, circle), color, style in _each(circles, (*_COLORS, INK), ("-", "--", "-", "-.", "-")):
        ax.plot(*circle.T, color=color, ls=style, label=name)
    ax.axhline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.axvline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.set(aspect="equal", xlabel="x₁", ylabel="x₂")
    legend_above(ax)


def budget(ax, ball, center, gram, best, title, names):
    """Draw a ball of coefficients, level lines of a quadratic loss, and the point of the ball where it is least.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    ball : array (n, 2)
        A walk round the ball.
    center : array (2,)
        Where the loss is least of all.
    gram : array (2, 2)
        The loss exceeds its least by (w - center) · gram (w - center).
    best : array (2,)
        The point; one of the level lines runs through it.
    title : str
        What is shown.
    names : sequence of str
        What the two coefficients belong to.
    """
    theta = np.linspace(0, 2 * np.pi, 181)
    ellipse = np.linalg.solve(np.linalg.cholesky(gram).T, [np.cos(theta), np.sin(theta)]).T
    excess = (best - center) @ gram @ (best - center)
    ax.fill(*ball.T, facecolor=PALE_BLUE, edgecolor=BLUE, ls="-")
    for share in (0.1, 0.4, 1):
        ax.plot(*(center + np.sqrt(share * excess) * ellipse).T, color=FAINT, lw=1, ls="-")
    ax.plot(*best, "s", color=ORANGE)
    ax.axhline(0, color=GUIDE, lw=0.8)
    ax.axvline(0, color=GUIDE, lw=0.8)
    ax.set(aspect="equal", xlim=(-20, 60), ylim=(-20, 50), title=title)
    ax.set(xlabel=f"w₁ ({names[0]})", ylabel=f"w₂ ({names[1]})")


def coefficient_paths(ax, lengths, paths, names, xlabel):
    """Draw how each coefficient grows with the length that all of them may have.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    lengths : array (n,)
        What is allowed.
    paths : dict of str to array (n,)
        The coefficients, by name.
    names : sequence of str
        Up to four of them to be named; the others stay grey.
    xlabel : str
        What the length is.
    """
    ax.axhline(0, color=GUIDE, lw=0.8)
    for path in (paths[name] for name in paths if name not in names):
        ax.plot(lengths, path, color=FAINT, lw=1, ls="-")
    for name, color, style in zip(names, _COLORS, ("-", "--", "-.", "-"), strict=False):
        ax.plot(lengths, paths[name], color=color, ls=style, label=name)
    ax.set(xlabel=xlabel, ylabel="coefficient")
    ax.legend(loc="best")


def stretched(ax, ball, image, size, title):
    """Draw a ball, what a matrix makes of it, and the smallest multiple of the ball that covers that.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    ball, image : array (n, 2)
        Walks round both.
    size : float
        The multiple: the norm of the matrix.
    title : str
        What is shown.
    """
    ax.fill(*ball.T, facecolor=PALE_BLUE, edgecolor=BLUE, ls="-")
    ax.fill(*image.T, facecolor="none", edgecolor=ORANGE, lw=2, ls="-")
    ax.plot(*(size * ball).T, color=BLUE, ls="--")
    ax.set(aspect="equal", xlabel="x₁", ylabel="x₂", title=title)


def _interrupt_lines(ax):
    """Leave room for the names at the tips of arrows that lie on lines."""
    for text in ax.texts:
        if text.get_text():
            text.set_bbox({"fc": "white", "ec": "none", "pad": 0.5})


def _arrow(ax, start, end, color=INK):
    looks = {"arrowstyle": "->", "color": color, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", end, start, arrowprops=looks)


def photograph(ax, pixels, title=""):
    """Draw a picture in its own colours, which are the same on a light and on a dark page.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    pixels : array (m, n, 3)
        Red, green and blue of each pixel, from 0 to 1.
    title : str
        What is shown.
    """
    ax.imshow(np.clip(pixels, 0, 1), interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_title(title)


def mirror(ax, x, image, normal, title=""):
    """Draw a vector of the plane, its image in a mirror through the origin, the mirror and its normal.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x, image : array (2,)
        The vector, and where the mirror sends it.
    normal : array (2,)
        A vector at a right angle to the mirror.
    title : str
        What is shown.
    """
    arrows(ax, {"x": x, "Hx": image, "v": normal})
    ax.axline((0, 0), (-normal[1], normal[0]), color=GREY, ls="--", lw=1.2, zorder=0)
    ax.plot(*np.transpose([x, image]), ":", color=GREY)
    ends = np.array([x, image, normal, (0, 0)])
    ax.set(xlim=(ends[:, 0].min() - 1.6, ends[:, 0].max() + 1.6), ylim=(-1.2, ends[:, 1].max() + 1.2))
    ax.set_title(title)


def line_with_squares(ax, t, b, slope, intercept):
    """Draw points, a line, and on what each point is off, measured along b, a square.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    t, b : array (n,)
        The points.
    slope, intercept : float
        Of the line.
    """
    for at, height in zip(t, b, strict=True):
        foot = intercept + slope * at
        side = abs(height - foot)
        left = at if (height - foot) * slope < 0 else at - side
        ax.add_patch(Rectangle((left, min(height, foot)), side, side, fc=PALE_ORANGE, ec=ORANGE))
    ends = np.array([min(t) - 1, max(t) + 1])
    ax.plot(ends, intercept + slope * ends, color=BLUE)
    ax.plot(t, b, "o", color=INK)
    ax.set(xlabel="t", ylabel="b", aspect="equal")


def plane_and_residual(ax, columns, b, foot):
    """Draw the plane of two columns of three numbers, a vector outside of it, its projection and what is left.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw; space is seen along a fixed direction.
    columns : array (3, 2)
        What spans the plane.
    b : array (3,)
        The vector.
    foot : array (3,)
        Its projection onto the plane.
    """
    first, second = (columns / np.linalg.norm(columns, axis=0)).T
    across = second - (first @ second) * first
    across /= np.linalg.norm(across)
    up = np.cross(first, across)
    # The plane lies flat, seen a little from above.
    seen = np.array([first, across, up]).T @ np.array([[1.0, 0.0], [0.55, 0.35], [0.0, 1.0]])
    reach = 1.25 * np.abs(np.array([*columns.T, b, foot]) @ np.array([first, across]).T).max()
    edges = (-0.2, -0.4), (1, -0.4), (1, 1), (-0.2, 1)
    corners = np.array([(s * first + t * across) * reach for s, t in edges]) @ seen
    ax.fill(*corners.T, color=PALE_BLUE, alpha=0.6, lw=0)
    named = {"a₁": columns[:, 0], "a₂": columns[:, 1], "b": b, "Ax": foot}
    for (name, vector), color in zip(named.items(), (BLUE, BLUE, ORANGE, GREEN), strict=True):
        x, y = vector @ seen
        arrow = {"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x, y), (0, 0), arrowprops=arrow)
        place = (6, -12) if name == "a₁" else (6, 4)  # the others lie above it
        ax.annotate(name, (x, y), place, textcoords="offset points", color=color, weight="bold")
    ax.plot(*(np.array([b, foot]) @ seen).T, ":", color=GREY)
    ax.annotate("b − Ax", (b + foot) / 2 @ seen, (6, 0), textcoords="offset points", color=GREY)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


def bars_with_errors(ax, values, errors, labels, ylabel):
    """Draw values as dots with bars that show how uncertain they are.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    values, errors : array (n,)
        The values, and half of the length of their bars.
    labels : sequence of str
        Names of the n places.
    ylabel : str
        What the height measures, with units.
    """
    ax.errorbar(range(len(values)), values, errors, fmt="o", color=BLUE, capsize=3)
    ax.axhline(0, color=GUIDE, lw=0.8, zorder=0)
    ax.set_xticks(range(len(labels)), labels)
    ax.set(ylabel=ylabel)


def pieces_of_a_band(ax, n, window, n_queries):
    """Draw what a window shows to each of n tokens, and the tables of scores that cover it, some queries at a time.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    n : int
        Tokens.
    window : int
        Keys that a token sees, itself counted.
    n_queries : int
        Queries in one table.
    """
    for i in range(n):
        ax.barh(i, min(i + 1, window), 1, left=max(0, i + 1 - window), color=BLUE, edgecolor=BLUE, lw=0.4)
    for i in range(0, n, n_queries):
        rows, first = min(n_queries, n - i), max(0, i - window + 1)
        corner, width = (first, i - 0.5), i + rows - first
        ax.add_patch(Rectangle(corner, width, rows, fc="none", ec=ORANGE, lw=1.4, hatch="..", alpha=0.9))
    ax.set(xlim=(0, n), ylim=(n - 0.5, -0.5), aspect="equal", xlabel="key", ylabel="query")


def layouts(ax, layout, title=""):
    """Draw which blocks of queries, as rows, look at which blocks of keys, as columns.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    layout : boolean array (m, n)
        True where a block is computed.
    title : str
        What is shown.
    """
    for i, j in np.argwhere(layout):
        ax.add_patch(Rectangle((j, i), 1, 1, fc=BLUE, ec="none"))
    ax.set(xlim=(0, layout.shape[1]), ylim=(layout.shape[0], 0), aspect="equal", xticks=[], yticks=[], title=title)


def heard_by_layer(ax, shares):
    """Draw how much of the last token comes from each other, layer by layer, on a logarithmic scale; empty for nothing.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    shares : array (layers, n)
        Row i, column j: how far the last token after i + 1 layers moves with token j.
    """
    drawn = ax.imshow(np.where(shares > 0, np.log10(np.maximum(shares, 1e-4)), np.nan), vmin=-4, vmax=0, aspect="auto")
    ax.set(xlabel="token", ylabel="layers")
    ax.set_yticks(range(len(shares)), range(1, len(shares) + 1))
    ax.tick_params(length=0)
    bar = ax.figure.colorbar(drawn, ax=ax, label="share", extend="min")
    bar.set_ticks(range(-4, 1), labels=["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"])


def number_lines(ax, rows):
    """Draw numbers as dots on lines above each other.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    rows : dict of str to array (n,)
        The numbers of each line, by its name; the first stands on top.
    """
    for y, ((_, values), color) in enumerate(reversed(list(_each(rows, _COLORS)))):
        ax.axhline(y, color=GUIDE, lw=0.8, zorder=0)
        ax.plot(values, np.full(len(values), y), "|", color=color, ms=13, mew=1.6)
    ax.set(yticks=range(len(rows)), yticklabels=list(rows)[::-1], ylim=(-0.6, len(rows) - 0.4))
    ax.tick_params(axis="y", length=0)


def size_map(ax, sizes, xlabel, ylabel, title):
    """Draw a table of sizes, bright where they are large; the largest 1 % share a colour.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    sizes : array (m, n)
        Numbers that are not negative.
    xlabel, ylabel : str
        What columns and rows are.
    title : str
        What the table shows.
    """
    limit = np.quantile(sizes, 0.99)
    shown = ax.imshow(sizes, cmap="viridis", vmin=0, vmax=limit, aspect="auto", interpolation="nearest")
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    ax.figure.colorbar(shown, ax=ax, extend="max", label="size")


def walks(ax, function, paths, reach, levels, title=""):
    """Draw level lines of a function in the plane, and walks on it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    function : callable
        Takes both coordinates and returns the height.
    paths : dict of str to array (steps + 1, 2)
        Points that were visited, by the name of who visited them.
    reach : (float, float)
        How far the picture goes from the origin in both coordinates.
    levels : sequence of float
        The heights of the level lines.
    title : str
        What stands above the picture.
    """
    x, y = np.meshgrid(*(np.linspace(-r, r, 81) for r in reach))
    with rc_context({"path.simplify": False}):  # what could be left out unseen depends on last bits
        ax.contour(x, y, function(x, y), levels=sorted(levels), colors=[GREY], linewidths=0.7, linestyles="solid")
    for (name, path), color, marker in _each(paths, _COLORS, "os^D"):
        near = np.clip(path, -5 * np.array(reach), 5 * np.array(reach))
        ax.plot(*near.T, marker + "-", color=color, ms=3.5, lw=1.2, label=name)
    ax.set(xlim=(-reach[0], reach[0]), ylim=(-reach[1], reach[1]), aspect="equal")
    ax.set(xlabel="x₁", ylabel="x₂", title=title)
    if len(paths) > 1:
        ax.legend(loc="best", frameon=True, facecolor="white", edgecolor="none", framealpha=1)  # over level lines


def through_the_origin(ax, lines, vectors):
    """Draw lines through the origin of the plane, named at their ends, and vectors.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    lines : dict of str to array (2,)
        The directions of the lines, by name.
    vectors : dict of str to array (2,)
        The vectors, by name.
    """
    arrows(ax, vectors)
    _interrupt_lines(ax)
    reach = 1.4 * max(np.hypot(*it) for it in vectors.values())
    for (name, direction), style in _each(lines, ("-", "--")):
        end = np.asarray(direction) / np.hypot(*direction) * reach * 0.7 * (-1 if np.prod(direction) > 0 else 1)
        end = -end if end[0] > 0.5 * reach else end  # on the right there is no room for a name
        ax.axline((0, 0), direction, color=GREY, ls=style, lw=1.2, zorder=0)
        va = "bottom" if np.prod(end) < 0 else "top"
        ax.annotate(name, end, (7, 0), textcoords="offset points", color=GREY, va=va)
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))


def scores_of_heads(ax, scores, title=""):
    """Draw one number from 0 to 1 for each head of each layer, on the fixed scale.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    scores : array (n_layers, n_heads)
        One row for each layer, from the first at the top.
    title : str
        What is shown.
    """
    image = ax.imshow(scores, vmin=0, vmax=1, aspect="auto")
    ax.set(title=title, xlabel="head", ylabel="layer", xticks=range(scores.shape[1]))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    _shared_colour_bar(image, "score")


def mosaic(ax, pictures, columns, title="", contrast=1.0):
    """Draw many small pictures of signed numbers side by side, each on a scale of its own, with 0 as middle grey.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    pictures : array (k, m, n)
        The pictures, in the order of reading.
    columns : int
        How many stand in a row.
    title : str
        What is shown.
    contrast : float
        By how much the numbers are enlarged, after which what exceeds the largest one is cut off.
    """
    k, m, n = pictures.shape
    whole = np.full((-(-k // columns) * (m + 1) - 1, columns * (n + 1) - 1), np.nan)
    for i, picture in enumerate(pictures):
        top, left = i // columns * (m + 1), i % columns * (n + 1)
        whole[top : top + m, left : left + n] = contrast * picture / np.abs(picture).max()
    ax.imshow(whole, cmap="gray", vmin=-1, vmax=1, interpolation="nearest")
    ax.patch.set_color(FAINT)  # between the pictures, of which some are as white as the page
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    ax.set_title(title)


def charged_paths(ax, x, charges, title=""):
    """Draw the ways of charges in the plane, from a signed ring where each starts to a dot where it ends.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x : array (t, n, 2)
        Positions at each time.
    charges : array (n,)
        Their signs are written into the rings.
    title : str
        What is shown.
    """
    reach = 1.15 * np.linalg.norm(x, axis=-1).max()  # the same for turned paths
    for path, charge in zip(np.moveaxis(np.asarray(x), 0, 1), charges, strict=True):
        color, sign = (BLUE, "+") if charge > 0 else (ORANGE, "−")
        outside = np.linalg.norm(path - path[0], axis=-1) > 0.05 * reach  # the ring, where the sign stands
        ax.plot(*path[outside].T, "-", color=color, lw=1.2)
        ax.plot(*path[-1], "o", color=color, ms=5)
        ax.plot(*path[0], "o", color=color, mfc="none", ms=13)
        ax.annotate(sign, path[0], ha="center", va="center_baseline", color=color)
    ax.set(title=title, xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.set(xlabel="first coordinate", ylabel="second coordinate")


def over_seeds(ax, x, groups, xlabel, ylabel, scale="log"):
    """Draw what several seeds gave as points, and a line through their medians.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x : array (n,)
        Positions.
    groups : dict of str to array (n, n_seeds)
        One color for each name.
    xlabel, ylabel : str
        What the axes measure, with units.
    scale : {"linear", "log x", "log y", "log"}
        Which axes are logarithmic.
    """
    curves(ax, x, {name: np.median(values, axis=-1) for name, values in groups.items()}, xlabel, ylabel, scale)
    if len(groups) > 3:  # all the points leave no room for so many names
        legend_above(ax)
    for (_, values), line, marker in _each(groups, ax.get_lines(), _MARKERS):
        ax.plot(x, values, marker, color=line.get_color(), ms=3.5)


def step_along_a_tangent(ax, curve, data, at, foot, ahead, title=""):
    """Draw a curve, a point beside it, its projection onto a tangent, and where on the curve that step leads.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    curve : array (n, 2)
        A walk along the curve.
    data, at, foot, ahead : array (2,)
        The point, where the tangent touches, the projection onto the tangent, and the point of the curve after the
        step.
    title : str
        What is shown.
    """
    ax.plot(*curve.T, color=GREY, ls="-")
    ax.axline(at, foot, color=BLUE, ls="--", lw=1.2)
    ax.plot(*np.transpose([data, foot]), ":", color=ORANGE)
    ax.plot(*np.transpose([foot, ahead]), ":", color=GREY)
    marks = {"y": (data, ORANGE, (-14, 4)), "f(x)": (at, BLUE, (7, -12)), "f + Jp": (foot, INK, (-42, -10))}
    for name, (place, color, offset) in (marks | {"f(x + p)": (ahead, GREEN, (22, -17))}).items():
        ax.plot(*place, "o", color=color)
        ax.annotate(name, place, offset, textcoords="offset points", color=color)
    ax.set(aspect="equal", xlabel="first measurement", ylabel="second measurement", title=title)
    ax.set_ylim(bottom=min(0, foot[1]) - 0.35)


def points_on_a_line(ax, x, y, slope, xlabel, ylabel):
    """Draw what was measured as points on a line through the origin, and how far it may go: from -1 to 1.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    x, y : array (n,)
        The points.
    slope : float
        Of the line.
    xlabel, ylabel : str
        What the axes measure.
    """
    ends = np.array([min(x), max(x)])
    for limit in (-1, 1):
        ax.axhline(limit, color=GUIDE, ls="--", lw=1)
    ax.plot(ends, slope * ends, color=BLUE, ls="-", label="predicted")
    ax.plot(x, y, "o", color=ORANGE, label="measured")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend(loc="best")


def fit_and_residuals(axes, x, y, fitted, residual, xlabel, ylabel):
    """Draw measurements and the curve fitted to them, and below what it misses them by.

    Parameters
    ----------
    axes : sequence of two matplotlib.axes.Axes
        Where to draw.
    x, y, residual : array (m,)
        The measurements, and the curve minus them.
    fitted : array (n, 2)
        A walk along the curve.
    xlabel, ylabel : str
        What was measured.
    """
    axes[0].plot(*fitted.T, color=BLUE, ls="-")
    axes[0].plot(x, y, "o", color=ORANGE, ms=4)
    axes[1].axhline(0, color=GUIDE, lw=0.8)
    axes[1].vlines(x, 0, residual, color=GREY, lw=1)
    axes[1].plot(x, residual, "o", color=ORANGE, ms=4)
    axes[0].yaxis.set_major_formatter("{x:,g}")  # thousands as in the text
    axes[0].set(ylabel=ylabel)
    axes[1].set(xlabel=xlabel, ylabel="residual")


def commuting_square(ax, corners, acts, applies):
    """Draw a picture and its image, before and after a function, with arrows that go both ways round.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    corners : dict of str to array (m, n)
        Four pictures by name: the picture, what the function gives, the picture acted on, and what both ways give.
        The first and third share one scale, dark for small numbers; the others one, dark for large ones.
    acts, applies : str
        What the arrows down and to the right are called.
    """
    pictures = list(corners.values())
    height = len(pictures[0]) / len(pictures[0].T)
    for k, (name, values) in enumerate(corners.items()):
        scale = np.stack([pictures[k % 2], pictures[k % 2 + 2]])
        left, top = 1.35 * (k % 2), -(height + 0.32) * (k // 2)
        looks = {"cmap": ("gray", "Greys")[k % 2], "vmin": scale.min(), "vmax": scale.max()}
        ax.imshow(values, extent=(left, left + 1, top - height, top), interpolation="nearest", **looks)
        ax.text(left, top + 0.025, name, color=INK)
        if k % 2 == 0:
            _arrow(ax, (1.03, top - height / 2), (1.32, top - height / 2))
            ax.text(1.175, top - height / 2 + 0.03, applies, ha="center", color=INK)
        if k < 2:
            _arrow(ax, (left + 0.5, top - height - 0.03), (left + 0.5, top - height - 0.29))
            ax.text(left + 0.54, top - height - 0.15, acts, va="center", color=INK)
    ax.set(xlim=(-0.02, 2.37), ylim=(-2 * height - 0.34, 0.12), aspect="equal")
    ax.axis("off")
