"""The figures of the chapters: each function draws into the axes that it is given."""

from itertools import pairwise

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

BLUE, ORANGE, GREEN, PURPLE, GREY = "#0b5fa5", "#b3490a", "#1a7a4c", "#7b3fa0", "#6b6b6b"
_COLORS = (BLUE, ORANGE, GREEN, PURPLE)


def arrows(ax, vectors):
    """Draw vectors of the plane from the origin, each with its name at the tip.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    vectors : dict of str to array (2,)
        The vectors by name.
    """
    for (name, (x, y)), color in zip(vectors.items(), _COLORS, strict=False):
        ax.annotate(
            "", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2, "shrinkA": 0, "shrinkB": 0}
        )
        away = 8 * np.array([x, y]) / np.hypot(x, y)
        ax.annotate(
            name, (x, y), away, textcoords="offset points", color=color, ha="center", va="center", weight="bold"
        )
    ends = np.array([(0, 0), *vectors.values()])
    low, high = ends.min(0), ends.max(0)
    ax.set(xlim=(low[0] - 0.6, high[0] + 0.6), ylim=(low[1] - 0.6, high[1] + 0.6), aspect="equal")
    ax.axhline(0, color="#cccccc", lw=0.8, zorder=0)
    ax.axvline(0, color="#cccccc", lw=0.8, zorder=0)


def projection(ax, b, onto, foot):
    """Draw a vector, the line it is projected onto, the foot of the projection and what is left.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    b, onto : array (2,)
        The vector, and the one that spans the line.
    foot : array (2,)
        The projection of ``b`` onto ``onto``.
    """
    arrows(ax, {"a": onto, "b": b})
    ax.axline((0, 0), onto, color="#999999", lw=0.8, zorder=0)
    ax.plot(*np.transpose([b, foot]), ":", color=GREY)
    ax.plot(*foot, "o", color=GREEN)
    ax.annotate("projection", foot, (6, -12), textcoords="offset points", color=GREEN)
    ax.annotate("b − projection", (np.asarray(b) + foot) / 2, (6, 2), textcoords="offset points", color=GREY)


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
        ax.axline(on_line, on_line + along, color=GREY if value else "black", lw=0.9, ls="-" if value >= 0 else "--")
        label = on_line + along * reach * 0.62 / np.linalg.norm(a)
        ax.annotate(f"{value:g}", label, ha="center", va="center", size=8, bbox={"fc": "white", "ec": "none", "pad": 1})
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
            ax.axline(i * one, i * one + other, color="#d0d0d0", lw=0.8, zorder=0)
    for name, (x, y) in zip("₁₂", basis.T, strict=True):
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0})
        ax.annotate(f"b{name}", (x, y), (3, -10), textcoords="offset points", color=GREY)
    arrows(ax, points)


def curves(ax, x, ys, xlabel, ylabel, scale="linear"):
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
    """
    for name, y in ys.items():
        ax.plot(x, y, label=name)
    if scale in ("log x", "log"):
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if x[-1] < 500 * x[0] else (1,)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
    if scale in ("log y", "log"):
        ax.set_yscale("log")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    if len(ys) > 1:
        ax.legend()


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
    for name, marker, color in zip(groups, "o^sD", _COLORS, strict=False):
        ax.scatter(*xy[name].T, s=14, marker=marker, color=color, alpha=0.7, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


def histograms(ax, groups, xlabel):
    """Draw the distributions of several groups over each other.

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
    for (name, values), color, hatch in zip(groups.items(), _COLORS, ("", "///", "..."), strict=False):
        ax.hist(values, edges, color=color, alpha=0.6, hatch=hatch, edgecolor="white", label=name)
    ax.set(xlabel=xlabel, ylabel="count")
    ax.legend()


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
    ax.legend()


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
    width, hatches = 0.8 / len(groups), ("", "///", "...")
    for i, (name, heights) in enumerate(groups.items()):
        x = np.arange(len(labels)) + (i - (len(groups) - 1) / 2) * width
        drawn = ax.bar(x, heights, width * 0.92, label=name, color=_COLORS[i], hatch=hatches[i], edgecolor="white")
        ax.bar_label(drawn, fmt="%.2f", size=7, padding=1)
    ax.set_xticks(np.arange(len(labels)), labels)
    ax.set(ylabel=ylabel)
    if len(groups) > 1:
        ax.legend()


def heat_map(ax, weights, rows, columns, title="", numbers=False):
    """Draw attention weights, queries as rows and keys as columns, on the fixed scale from 0 to 1.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    weights : array (l, s)
        Weights from 0 to 1.
    rows, columns : sequence of str
        Names of the queries and keys; empty for none.
    title : str
        What is shown.
    numbers : bool
        Whether to print each weight into its cell.
    """
    image = ax.imshow(weights, vmin=0, vmax=1)
    ax.set_xticks(range(len(columns)), columns, rotation=90, size=8)
    ax.set_yticks(range(len(rows)), rows, size=8)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title(title)
    if numbers:
        for i, j in np.ndindex(weights.shape):
            ax.text(
                j, i, f"{weights[i, j]:.2f}", ha="center", va="center", size=8, color="wk"[int(weights[i, j] > 0.6)]
            )
    if not ax.figure.axes[-1].get_label() == "<colorbar>":
        ax.figure.colorbar(image, ax=ax.figure.axes, label="weight", shrink=0.8)


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
    ax.set_xticks(np.arange(len(labels)) + 0.5, labels, rotation=90, size=8)
    ax.set_yticks(range(len(labels)), labels, size=8)
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
    for (name, values), color, marker in zip(lines.items(), _COLORS, "os^D", strict=False):
        ax.loglog(x, values, color=color, lw=1.2, label=f"{name}, formula")
        measured = points[name]
        ax.loglog(x[: len(measured)], measured, marker, color=color, label=f"{name}, measured")
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


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
