"""Charges released at rest, turned as a whole; where they go, and where two networks say that they go."""

import numpy as np
import traitlets

from mlnotes.applications.egnn import egnn_layer, graph_layer
from mlnotes.applications.mlp import mlp, silu
from mlnotes.arrays import require_finite, require_integers, require_positive
from mlnotes.charges import simulate_charges
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

SIZE, REACH, LIMIT = 440, 3.2, 2.2
LAYERS = {"EGNN": egnn_layer, "plain": graph_layer}
COLOURS = {"EGNN": "#2c5fa8", "plain": "#b3410e"}


class TurnedCharges(Widget):
    """Turn charges in the plane, and see whether predictions turn with them.

    Parameters
    ----------
    x : array (n, 2)
        Where the charges start, at rest: 2 to 6 of them, no coordinate beyond 2.2.
    charges : array (n,)
        1 or -1 each.
    egnn, plain : list of dict
        The weights of both networks, as `weights_of` takes them from `mlnotes.layers.egnn.EGNN` and
        `mlnotes.layers.egnn.GraphNetwork`. Their points begin with features of ones, and the feature of an edge is the
        product of two charges.
    duration, softening : float
        The time after which places are predicted, and the softening of the forces.
    n_steps : int
        In how many steps the charges are simulated.
    **traits
        ``angle`` (in degrees, 0 to 360), ``particle`` (from 0), ``caption``, ``description``. ``x``, ``angle`` and
        ``particle`` can be read and set later, and set by the reader.

    Raises
    ------
    ValueError
        If the charges are not as described, or a trait is not.
    """

    name = "turned_charges"
    _esm = module(name)

    x = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    charges = traitlets.List(traitlets.Float(), read_only=True).tag(sync=True)
    egnn = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)
    plain = traitlets.List(traitlets.Dict(), read_only=True).tag(sync=True)
    duration = traitlets.Float(read_only=True).tag(sync=True)
    softening = traitlets.Float(read_only=True).tag(sync=True)
    n_steps = traitlets.Int(read_only=True).tag(sync=True)
    angle = traitlets.Float(0.0).tag(sync=True)
    particle = traitlets.Int(0).tag(sync=True)

    def __init__(self, x, charges, egnn, plain, duration, softening, n_steps=60, **traits):
        x, charges = np.asarray(x, float), np.asarray(charges, float)
        _require_charges(x, charges)
        require_integers(1, n_steps=n_steps)
        require_positive(duration=duration, softening=softening)
        self.set_trait("charges", charges.tolist())
        self.set_trait("egnn", egnn)
        self.set_trait("plain", plain)
        self.set_trait("duration", float(duration))
        self.set_trait("softening", float(softening))
        self.set_trait("n_steps", n_steps)
        super().__init__(x=x.tolist(), **traits)

    def start(self, angle=None):
        """Turn the charges about the origin: by ``angle``, in degrees, or as they are turned now; (n, 2)."""
        return np.array(self.x) @ _rotation(self.angle if angle is None else angle).T

    def paths(self):
        """Simulate how the turned charges move: places (n_steps + 1, n, 2)."""
        x, step = self.start(), self.duration / self.n_steps
        return simulate_charges(x, 0 * x, self.charges, step, self.n_steps, self.softening).x

    def predict(self, network, angle=None):
        """Ask a network where the turned charges go.

        Parameters
        ----------
        network : {"EGNN", "plain"}
            Which.
        angle : float, optional
            In degrees; ``self.angle`` unless given.

        Returns
        -------
        array (n, 2)
            Places after ``duration``.
        """
        x, products = self.start(angle), np.outer(self.charges, self.charges)[..., None]
        layers = self.egnn if network == "EGNN" else self.plain
        h = np.ones((len(x), np.shape(layers[0]["phi_e"][0])[1]))
        for layer in layers:
            phi = {name: _function(weights) for name, weights in layer.items()}
            h, x = LAYERS[network](h, x, **phi, edge_features=products)
        return x

    def turned_back(self, network, angle=None):
        """Predict, and undo the turn: (n, 2). For an equivariant network it does not depend on the angle."""
        angle = self.angle if angle is None else angle
        return self.predict(network, angle) @ _rotation(angle)

    def drift(self, network):
        """Measure how far the particle's prediction, turned back, is from the one without a turn."""
        apart = self.turned_back(network) - self.predict(network, 0.0)
        return float(np.linalg.norm(apart[self.particle]))

    def off(self, network):
        """Measure how far the particle's prediction is from where it goes."""
        return float(np.linalg.norm(self.predict(network)[self.particle] - self.paths()[-1, self.particle]))

    def picture(self):
        """Draw the paths, and what both networks predict, as SVG text."""
        parts = []
        for path, charge in zip(np.moveaxis(self.paths(), 0, 1), self.charges, strict=True):
            corners = " ".join("{:.1f},{:.1f}".format(*_place(it)) for it in path[::5])
            (x0, y0), (x1, y1) = _place(path[0]), _place(path[-1])
            parts += [
                f'<polyline points="{corners}" fill="none" stroke="#6d7683" stroke-width="1.5"/>',
                f'<circle cx="{x0:.1f}" cy="{y0:.1f}" r="8" fill="#ffffff" stroke="#1d222b"/>',
                text(round(x0, 1), round(y0 + 4.5, 1), "+" if charge > 0 else "−", "middle"),
                f'<circle cx="{x1:.1f}" cy="{y1:.1f}" r="4" fill="#1d222b"/>',
            ]
        for spot in self.predict("EGNN"):
            px, py = _place(spot)
            outline = f'fill="none" stroke="{COLOURS["EGNN"]}" stroke-width="2.5"'
            parts.append(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="7" {outline}/>')
        for spot in self.predict("plain"):
            px, py = _place(spot)
            outline = f'fill="none" stroke="{COLOURS["plain"]}" stroke-width="2.5"'
            parts.append(f'<rect x="{px - 5:.1f}" y="{py - 5:.1f}" width="10" height="10" {outline}/>')
        parts.append(text(12, SIZE - 28, "circles: EGNN", fill=COLOURS["EGNN"]))
        parts.append(text(12, SIZE - 10, "squares: plain graph network", fill=COLOURS["plain"]))
        return svg(SIZE, SIZE, *parts)

    def describe(self):
        """Say how far the predictions are from the truth, and from those without the turn."""
        off = " and ".join(f"{_shown(self.off(network))} by the {_name(network)}" for network in LAYERS)
        drift = " and ".join(f"{_shown(self.drift(network))} for the {_name(network)}" for network in LAYERS)
        return (
            f"{len(self.x)} charges, turned by {self.angle:g}°, and where they go. The end of particle "
            f"{self.particle + 1} is missed by {off}. From its prediction without the turn, the prediction turned back "
            f"is away by {drift}."
        )

    def __repr__(self):
        return f"<TurnedCharges of {len(self.x)} particles>"

    @validate("x")
    def _fitting(self, proposal):
        _require_charges(np.array(proposal["value"]), np.array(self.charges))
        return proposal["value"]

    @validate("particle")
    def _existing(self, proposal):
        return require_between("particle", 0, len(self.charges) - 1, proposal["value"])

    @validate("angle")
    def _turn(self, proposal):
        return require_between("angle", 0, 360, proposal["value"])


def weights_of(network):
    """Take the weights out of a trained network.

    Parameters
    ----------
    network : EGNN or GraphNetwork
        Any network with ``layers``, each of which names its functions' parameters.

    Returns
    -------
    list of dict of str to list
        For each layer the two matrices and two biases of each function.
    """
    return [{name: [p.tolist() for p in weights] for name, weights in layer.items()} for layer in network.layers]


def _require_charges(x, charges):
    if x.ndim != 2 or x.shape[1] != 2 or not 2 <= len(x) <= 6 or charges.shape != x.shape[:1]:
        shapes = f"{x.shape} and {charges.shape}"
        raise ValueError(f"x and charges must have shapes (n, 2) and (n,), n from 2 to 6, got {shapes}")
    require_finite(x=x)
    if np.abs(x).max() > LIMIT or set(np.abs(charges)) != {1.0}:
        given = f"{x.tolist()} and {charges.tolist()}"
        raise ValueError(f"x must lie within {LIMIT} and charges be 1 or -1, got {given}")


def _function(weights):
    w_1, b_1, w_2, b_2 = map(np.asarray, weights)
    return lambda x: mlp(x, (w_1, w_2), (b_1, b_2), silu)


def _rotation(degrees):
    c, s = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return np.array([[c, -s], [s, c]])


def _place(spot):
    scale = SIZE / 2 / REACH
    return SIZE / 2 + scale * spot[0], SIZE / 2 - scale * spot[1]


def _name(network):
    return network if network == "EGNN" else "plain graph network"


def _shown(x):
    return f"{round(float(x), 3) + 0:.3f}"
