"""A map of attention weights that recomputes itself and shows the arithmetic of any of its cells."""

import numpy as np
import traitlets

from mlnotes.arrays import require_positive
from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.self_attention import attention_weights
from mlnotes.blocks.softmax import entropy
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate
from mlnotes.widgets.colours import colour, ink_on

UNLOCKED = -1
MOST_TOKENS = 100  # of a reader's sentence: the page draws a cell for each pair


class AttentionMap(Widget):
    """Show which keys each query looks at: queries are rows, keys are columns, weights run from 0 to 1.

    Parameters
    ----------
    tokens : list of str
        What to call the l queries, and the keys unless ``key_tokens`` names them.
    queries : array (l, d), (h, l, d) or (n, h, l, d)
        One query vector for each token; for each of h heads; in each of n layers.
    keys : array (s, d), (h, s, d) or (n, h, s, d), optional
        The key vectors; the queries themselves unless given.
    values : array (s, e), (h, s, e) or (n, h, s, e), optional
        What the weights average. With them a locked cell shows what is added up.
    key_tokens : list of str, optional
        What to call the s keys.
    heads, layers : list of str, optional
        What to call the heads and the layers; counted from 1 unless given.
    mask : boolean array (l, s), optional
        True where a query may look.
    scale : float, optional
        What the dot products are multiplied by; 1/sqrt(d) unless given.
    **traits
        ``layer`` and ``head`` (from 0), ``causal``, ``temperature``, ``row`` and ``column`` (what is locked, from 0:
        a cell, a row whose column is -1, a column whose row is -1, or nothing), ``held`` (a row that stays beside the
        one that is read out; -1 for none), ``marked`` (list of keys), ``overview`` (whether all heads are shown at
        first), ``caption``, ``description``. All can be read and set later, and all but the last three by the reader.

    Raises
    ------
    ValueError
        If tokens and vectors differ in number, queries and keys in width or keys and values in number, if there is
        nothing to show, if a number is not finite, if the mask is not boolean or not (l, s), or if a trait has no such
        value.

    Notes
    -----
    The page computes ``softmax(q @ k.T * scale / temperature)`` in float64 from vectors rounded to six significant
    digits; `weights` does the same in Python.
    """

    name = "attention_map"
    _esm = module(name)

    tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    # [layer][head][row][coordinate]. `k` is None where the keys are the queries: the page need not hold them twice.
    q = traitlets.List(read_only=True).tag(sync=True)
    k = traitlets.List(read_only=True, allow_none=True).tag(sync=True)
    # Empty where the values are the keys, None where there are none.
    v = traitlets.List(None, read_only=True, allow_none=True).tag(sync=True)
    heads = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)
    layers = traitlets.List(traitlets.Unicode(), read_only=True).tag(sync=True)  # empty where they are counted from 1
    mask = traitlets.List(read_only=True, allow_none=True).tag(sync=True)
    scale = traitlets.Float(read_only=True).tag(sync=True)

    layer = traitlets.Int(0).tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    temperature = traitlets.Float(1.0).tag(sync=True)
    row = traitlets.Int(UNLOCKED).tag(sync=True)
    column = traitlets.Int(UNLOCKED).tag(sync=True)
    held = traitlets.Int(UNLOCKED).tag(sync=True)
    marked = traitlets.List(traitlets.Int()).tag(sync=True)
    overview = traitlets.Bool(False).tag(sync=True)

    editable = traitlets.Bool(False, read_only=True).tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    error = traitlets.Unicode(read_only=True).tag(sync=True)

    def __init__(
        self,
        tokens,
        queries,
        keys=None,
        values=None,
        *,
        key_tokens=None,
        heads=None,
        layers=None,
        mask=None,
        scale=None,
        **traits,
    ):
        data = _checked(tokens, queries, keys, values, key_tokens, heads, layers, mask, scale)
        for name, value in data.items():
            self.set_trait(name, value)
        super().__init__(**traits)

    @classmethod
    def from_text(cls, sentence, encode, **options):
        """Map a sentence, and with a kernel let the reader type another.

        Parameters
        ----------
        sentence : str
            The sentence to begin with.
        encode : callable
            Takes a sentence and returns ``tokens, queries, keys`` or ``tokens, queries, keys, values``. What it raises
            is shown to the reader, and the old map stays; so it does for more than 100 tokens.
        **options
            As for `AttentionMap`, but no ``key_tokens`` and no ``mask``.

        Returns
        -------
        AttentionMap
            Its ``sentence`` can be read and set.
        """
        self = cls(*encode(sentence), sentence=sentence, **options)
        self.set_trait("editable", True)
        scale = options.get("scale")

        def show(change):
            try:
                tokens, *vectors = encode(change["new"])
                if len(tokens) > MOST_TOKENS:
                    raise ValueError(f"a map shows at most {MOST_TOKENS} tokens, got {len(tokens)}")
                data = _checked(tokens, *vectors, heads=self.heads, layers=self.layers, scale=scale)
            except Exception as error:  # whatever a reader's sentence brings about is for the reader to see
                self.set_trait("error", f"{type(error).__name__}: {error}")
                return
            with self.hold_sync():
                self.row = self.column = self.held = UNLOCKED
                self.marked = []
                for name, value in data.items():
                    self.set_trait(name, value)
                self.set_trait("error", "")

        self.observe(show, "sentence")
        return self

    def weights(self):
        """Compute the weights that the map shows now.

        Returns
        -------
        float64 array (l, s)
            Each row sums to one, or is all zeros where a query may look at no key.
        """
        q = np.array(self.q[self.layer][self.head])
        k = q if self.k is None else np.array(self.k[self.layer][self.head])
        return attention_weights(q, k, self._allowed(), scale=self.scale / self.temperature)

    def state(self):
        """Collect what the page needs, without what nobody has set.

        Returns
        -------
        dict
            JSON values by trait names, sorted.
        """
        unset = {"v": None, "layers": [], "held": UNLOCKED, "marked": [], "overview": False}
        return {name: value for name, value in super().state().items() if name not in unset or value != unset[name]}

    def picture(self):
        """Draw the map as SVG text."""
        weights, allowed = self.weights().round(9), self._allowed()
        names, key_names = self._names(), _distinct(self.key_tokens)
        rows, columns = len(names), len(key_names)
        cell = 30 if columns <= 16 else 18
        left = 24 + max(8 * len(name) for name in [*names, "queries"])
        top = 24 + max(8 * len(name) for name in key_names)
        parts = [_HATCHING]
        parts.append(text(left - 8, top - 24, "keys →", "end", fill="#555c68", font_size=11))
        parts.append(text(left - 8, top - 10, "queries ↓", "end", fill="#555c68", font_size=11))
        for j, token in enumerate(key_names):
            x = left + (j + 0.5) * cell
            turned = {"transform": f"rotate(-90 {x + 4:g} {top - 8:g})"}
            parts.append(text(x + 4, top - 8, token, **turned, **_emphasis(j in self.marked)))
        for i, token in enumerate(names):
            y = top + i * cell
            marked = i in self.marked and self.tokens == self.key_tokens
            parts.append(text(left - 8, y + cell / 2 + 4, token, "end", **_emphasis(marked)))
            for j in range(columns):
                parts.append(_square(left + j * cell, y, cell, weights[i, j], allowed[i, j]))
        width, bottom = max(left + columns * cell, 260) + 12, top + rows * cell
        shown = self._shown_head()
        if shown:
            parts.append(text(left, bottom + 64, shown, fill="#555c68", font_size=11))
        return svg(width, bottom + (76 if shown else 56), *parts, _colour_bar(left, bottom + 16, 160))

    def describe(self):
        """Say which key each query looks at most."""
        names, key_names = self._names(), _distinct(self.key_tokens)
        weights = self.weights().round(9)
        rows = [
            f"{name}: {key_names[row.argmax()]} {row.max():.2f}" if row.any() else f"{name}: nothing"
            for name, row in zip(names, weights, strict=True)
        ]
        spread = float(np.exp(entropy(weights)).mean().round(9))
        marked, shown = ", ".join(key_names[j] for j in self.marked), self._shown_head()
        return (
            f"{f'{shown}. ' if shown else ''}"
            f"Attention weights of {len(names)} queries (rows) over {len(key_names)} keys (columns), "
            f"from 0 (dark violet) to 1 (yellow){', causal' if self.causal else ''}, "
            f"at temperature {self.temperature:.3g}. Where each query looks most: {'; '.join(rows)}. "
            f"A row is spread over as much as {spread:.1f} equal weights would be, on average."
            f"{f' Marked: {marked}.' if marked else ''}"
        )

    def __repr__(self):
        return f"<AttentionMap of {len(self.tokens)} queries and {len(self.key_tokens)} keys>"

    def _names(self):
        """Name the queries, and those that are the last of the keys, as behind a cache, as they are."""
        first = len(self.key_tokens) - len(self.tokens)
        if first >= 0 and self.key_tokens[first:] == self.tokens:
            return _distinct(self.key_tokens)[first:]
        return _distinct(self.tokens)

    def _shown_head(self):
        """Name the head that is shown, as the page does; nothing where there is only one."""
        layers, name = len(self.q), self.heads[self.head]
        if layers > 1:
            return f"Layer {self.layers[self.layer] if self.layers else self.layer + 1}, head {name}"
        return f"Head {name}" if len(self.heads) > 1 else ""

    def _allowed(self):
        shape = len(self.tokens), len(self.key_tokens)
        allowed = np.ones(shape, dtype=bool) if self.mask is None else np.array(self.mask, dtype=bool)
        return allowed & causal_mask(*shape) if self.causal else allowed

    @validate("temperature")
    def _positive(self, proposal):
        require_positive(temperature=proposal["value"])
        return proposal["value"]

    @validate("layer", "head", "row", "column", "held", "marked")
    def _in_range(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        rows, columns = len(self.tokens), len(self.key_tokens)
        n = {"layer": len(self.q), "head": len(self.heads), "row": rows, "column": columns, "held": rows}
        lowest, n = UNLOCKED if name in ("row", "column", "held") else 0, n.get(name, columns)
        for it in value if name == "marked" else [value]:
            require_between(name, lowest, n - 1, it)
        return value


def _checked(tokens, queries, keys=None, values=None, key_tokens=None, heads=None, layers=None, mask=None, scale=None):
    """Turn the data into JSON values of one form, or say what is wrong with them."""
    q = _vectors("queries", queries)
    k = q if keys is None else _vectors("keys", keys)
    if q.shape[:2] != k.shape[:2] or q.shape[-1] != k.shape[-1]:
        raise ValueError(
            "queries and keys must agree in layers, heads and width, "
            f"got shapes {np.shape(queries)} and {np.shape(keys)}"
        )
    v = None if values is None else _vectors("values", values)
    if v is not None and v.shape[:3] != k.shape[:3]:
        raise ValueError(
            f"keys and values must agree in layers, heads and number, got shapes {k.shape} and {np.shape(values)}"
        )
    key_tokens = tokens if key_tokens is None else key_tokens
    heads = [str(1 + h) for h in range(q.shape[1])] if heads is None else heads
    for name, labels, count in (
        ("tokens", tokens, q.shape[2]),
        ("key_tokens", key_tokens, k.shape[2]),
        ("heads", heads, q.shape[1]),
        *([("layers", layers, q.shape[0])] if layers else []),
    ):
        if len(labels) != count:
            raise ValueError(f"{name} must have one label for each of {count}, got {len(labels)}: {list(labels)}")
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    if not np.isfinite(scale):
        raise ValueError(f"scale must be finite, got {scale}")
    return {
        "tokens": list(map(str, tokens)),
        "key_tokens": list(map(str, key_tokens)),
        "q": q.tolist(),
        "k": None if np.array_equal(q, k) else k.tolist(),
        "v": None if v is None else [] if np.array_equal(k, v) else v.tolist(),
        "heads": list(map(str, heads)),
        "layers": list(map(str, layers or [])),
        "mask": None if mask is None else _boolean(mask, (q.shape[2], k.shape[2])),
        "scale": scale,
    }


def _vectors(name, vectors):
    x = np.asarray(vectors, dtype=np.float64)
    if not 2 <= x.ndim <= 4 or 0 in x.shape:
        raise ValueError(f"{name} must have shape (l, d), (h, l, d) or (n, h, l, d), none of them 0, got {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"{name} must be finite, got {x[~np.isfinite(x)][0]}")
    x = x.reshape((1,) * (4 - x.ndim) + x.shape)
    return np.array([float(f"{value:.6g}") for value in x.flat]).reshape(x.shape)


def _boolean(mask, shape):
    mask = np.asarray(mask)
    if mask.dtype != bool or mask.shape != shape:
        raise ValueError(f"mask must be boolean of shape {shape}, got {mask.dtype} of shape {mask.shape}")
    return mask.tolist()


def _distinct(tokens):
    """Tell equal tokens apart by their position, as the page does."""
    subscripts = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
    positions = [str(i).translate(subscripts) if tokens.count(token) > 1 else "" for i, token in enumerate(tokens)]
    return [token + position for token, position in zip(tokens, positions, strict=True)]


_HATCHING = (
    '<defs><pattern id="masked" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect width="5" height="5" fill="#f2f2f4"/><path d="M0 0V5" stroke="#8a8f98" stroke-width="2"/></pattern></defs>'
)


def _emphasis(is_marked):
    return {"font_weight": 700, "text_decoration": "underline"} if is_marked else {}


def _square(x, y, size, weight, allowed):
    fill = colour(weight) if allowed else "url(#masked)"
    box = f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{size - 2}" height="{size - 2}" rx="2" fill="{fill}"/>'
    if not allowed or size < 30:
        return box
    digits = f"{weight:.2f}".removeprefix("0")
    return box + text(x + size / 2, y + size / 2 + 4, digits, "middle", fill=ink_on(fill), font_size=11)


def _colour_bar(x, y, width):
    n, stripe = 32, width / 32
    stripes = [
        f'<rect x="{x + i * stripe:g}" y="{y}" width="{stripe + 0.5:g}" height="10" fill="{colour(i / (n - 1))}"/>'
        for i in range(n)
    ]
    labels = text(x, y + 24, "0", "middle"), text(x + width, y + 24, "1", "middle")
    return "".join([*stripes, *labels, text(x + width / 2, y + 24, "weight", "middle")])
