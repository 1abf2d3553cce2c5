"""A cloud of points in the plane on its way to white, and the rotation that parts one whitening from another."""

import math

import numpy as np
import traitlets

from mlnotes.applications.whitening import KINDS, covariance, whitening_rotation
from mlnotes.blocks.eigen import jacobi_eigh
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

SIZE = 340
COLOURS = "#2c5fa8", "#b3410e", "#5c7a1f"


class WhiteningCloud(Widget):
    """Stretch a cloud until it is round, and turn it.

    Parameters
    ----------
    x : array (n, 2)
        A point in each row, of two features whose covariance is regular; at least 3 of them.
    features : sequence of str
        The names of the two features.
    groups : sequence of int
        The group of each point, 0, 1 or 2; each group has a mark of its own. All 0 unless given.
    group_names : sequence of str
        What the groups are called; at most 3, and none if no group is to be named.
    **traits
        ``kind`` ("pca", "zca" or "cholesky"), ``eps`` (added to the variance along each principal axis, 0 to 100),
        ``way`` (from 0 for the centered points to 1 for the whitened ones), ``turn`` (by which the result is turned
        further, counterclockwise, -180 to 180 degrees), ``caption``, ``description``. Kind, eps, way and turn can be
        read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If there are not two features with names, a point has no group, a group no name where others have one, the
        covariance is singular, or a trait is out of its range.
    """

    name = "whitening_cloud"
    _esm = module(name)

    x = traitlets.List(read_only=True).tag(sync=True)
    features = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    groups = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    group_names = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    axis = traitlets.Float(read_only=True).tag(sync=True)
    kind = traitlets.Enum(KINDS, "zca").tag(sync=True)
    eps = traitlets.Float(0.0).tag(sync=True)
    way = traitlets.Float(1.0).tag(sync=True)
    turn = traitlets.Float(0.0).tag(sync=True)

    def __init__(self, x, features=("feature 1", "feature 2"), groups=None, group_names=(), **traits):
        x = np.asarray(x, float)
        if x.ndim != 2 or x.shape[1] != 2 or len(features) != 2:
            raise ValueError(f"x and features must be of 2 features, got shape {x.shape} and {len(features)} names")
        groups = [0] * len(x) if groups is None else [int(it) for it in groups]
        if len(groups) != len(x) or not set(groups) <= {0, 1, 2}:
            raise ValueError(f"each of {len(x)} points must be in group 0, 1 or 2, got {len(groups)}: {set(groups)}")
        if group_names and not max(groups) < len(group_names) <= 3:
            raise ValueError(f"all of at most 3 groups must have a name, got {list(group_names)}: {set(groups)}")
        self.set_trait("x", x.tolist())
        self.set_trait("features", list(features))
        self.set_trait("groups", groups)
        self.set_trait("group_names", list(group_names))
        # The first principal axis has two directions. The page takes the one that `whiten` takes.
        self.set_trait("axis", _degrees(whitening_rotation(x, "pca", "zca")))
        super().__init__(**traits)

    def matrix(self):
        """Give the matrix that the centered points are multiplied by from the right.

        Returns
        -------
        array (2, 2)
            `mlnotes.applications.whitening.whitening_matrix`, if all of the way is gone and nothing is turned further.
        """
        variances, v = jacobi_eigh(covariance(self.x))
        part = (v * (variances + self.eps) ** (-self.way / 2)) @ v.T
        return part @ _rotation(self.way * self.angle(self.kind) + self.turn)

    def angle(self, kind):
        """Measure the rotation from the ZCA whitening to another.

        Parameters
        ----------
        kind : {"pca", "zca", "cholesky"}
            The other.

        Returns
        -------
        float
            Degrees, counterclockwise, above -180 and at most 180.
        """
        if kind == "zca":
            return 0.0
        return -self.axis if kind == "pca" else _degrees(whitening_rotation(self.x, "zca", kind, self.eps))

    def moved(self):
        """Give the points as they are now.

        Returns
        -------
        array (n, 2)
            Centered, in units of the features at the start of the way and without unit at its end.
        """
        return (np.array(self.x) - np.mean(self.x, axis=0)) @ self.matrix()

    def parted(self):
        """Measure by which rotation the cloud is parted from each whitening.

        Returns
        -------
        dict of str to float
            Degrees by kind, above -180 and at most 180, or above -90 and at most 90 for "pca", whose axes may point
            either way.
        """
        now = self.way * self.angle(self.kind) + self.turn
        return {kind: _folded(now - self.angle(kind), 180 if kind == "pca" else 360) for kind in KINDS}

    def distance(self):
        """Measure how far the points are from where they were, centered.

        Returns
        -------
        float
            The root of the mean square.
        """
        centered = np.array(self.x) - np.mean(self.x, axis=0)
        return float(np.sqrt(((self.moved() - centered) ** 2).sum(axis=1).mean()))

    def picture(self):
        """Draw the cloud, its ellipse and the unit circle as SVG text."""
        half = SIZE / 2
        scale = half / self._reach()
        parts = [f'<path d="M0 {half:g}H{SIZE}M{half:g} 0V{SIZE}" stroke="#d5d9e0" fill="none"/>']
        for (x, y), group in zip(self.moved().round(6), self.groups, strict=True):
            px, py = half + scale * x, half - scale * y
            shape = (
                f'<circle cx="{px:.1f}" cy="{py:.1f}" r="2.6"',
                f'<path d="M{px - 3:.1f} {py + 2.6:.1f}h6l-3 -5.6z"',
                f'<rect x="{px - 2.4:.1f}" y="{py - 2.4:.1f}" width="4.8" height="4.8"',
            )[group]
            parts.append(f'{shape} fill="{COLOURS[group]}" fill-opacity="0.6"/>')
        around = np.linspace(0, 2 * math.pi, 73)
        circle = np.column_stack([np.cos(around), np.sin(around)])
        for outline, dash in ((circle, ' stroke-dasharray="3 4"'), (circle @ self._root(), "")):
            at = " ".join(f"{half + scale * x + 0:.1f},{half - scale * y + 0:.1f}" for x, y in outline.round(6))
            parts.append(f'<polygon points="{at}" fill="none" stroke="#1f2430" stroke-width="1.5"{dash}/>')
        for name, (x, y) in zip(self.features, self.matrix(), strict=True):
            length = math.hypot(x, y)
            x, y = (round(0.72 * half * it / length, 3) + 0.0 for it in (x, y))
            parts.append(f'<path d="M{half:g} {half:g}l{x:.1f} {-y:.1f}" stroke="#5d6675" stroke-width="1.5"/>')
            left = x > half / 2
            parts.append(
                text(round(half + x, 1), round(half - y + (14 if y < 0 else -5), 1), name, "end" if left else "start")
            )
        for i, name in enumerate(self.group_names):
            parts.append(text(8, 18 + 16 * i, f"{'●▲■'[i]} {name}", fill=COLOURS[i]))
        return svg(SIZE, SIZE, *parts)

    def describe(self):
        """Say how far the cloud has come, and which covariance it has."""
        (a, b), (_, d) = (self.matrix().T @ covariance(self.x) @ self.matrix()).round(4) + 0.0
        names = {"pca": "PCA", "zca": "ZCA", "cholesky": "Cholesky"}
        parted = {kind: f"{round(it, 1) + 0.0:g}° from {names[kind]}" for kind, it in self.parted().items()}
        return (
            f"{len(self.x)} points of {self.features[0]} and {self.features[1]}, "
            f"{100 * self.way:.0f} % of the way to {names[self.kind]} whitening with ε = {self.eps:.4g}, turned by "
            f"{self.turn:g}° further. Variances {a:g} and {d:g}, covariance {b:g}. Rotation: "
            f"{', '.join(parted.values())}. Root mean square distance from the centered points {self.distance():.3f}."
        ).replace(" -", " −")

    def _reach(self):
        """Find what the picture must hold at any place of the way, however it is turned."""
        centered = np.array(self.x) - np.mean(self.x, axis=0)
        variances, v = jacobi_eigh(covariance(self.x))
        ends = (np.hypot(*it.T).max() for it in (centered, centered @ v / np.sqrt(variances)))
        return 1.08 * float(max(ends))

    def _root(self):
        """Find what turns the unit circle to the points one standard deviation away."""
        variances, v = jacobi_eigh(covariance(self.x))
        return (v * np.sqrt(variances)).T @ self.matrix()

    @validate("eps")
    def _not_negative(self, proposal):
        return require_between("eps", 0, 100, proposal["value"])

    @validate("way")
    def _part(self, proposal):
        return require_between("way", 0, 1, proposal["value"])

    @validate("turn")
    def _within(self, proposal):
        return require_between("turn", -180, 180, proposal["value"], " degrees")


def _rotation(degrees):
    """Turn rows counterclockwise."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, s], [-s, c]])


def _degrees(rotation):
    return math.degrees(math.atan2(rotation[0, 1], rotation[0, 0]))


def _folded(degrees, period):
    """Bring an angle to half a period at most; noise must not tell one end from the other."""
    return degrees - period * math.ceil(round(degrees / period - 0.5, 12))
