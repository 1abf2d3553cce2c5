"""A grey picture as a sum of columns times rows, up to a term that the reader chooses."""

import base64
import functools
import struct

import numpy as np
import traitlets

from mlnotes.blocks.svd import svd
from mlnotes.widgets import module
from mlnotes.widgets.base import Widget, require_between, svg, text, validate

VIEWS = ("the sum of the terms", "the last of them alone", "what is left of the picture")
WIDTH, FLOAT_BYTES = 424, 4


class PictureRank(Widget):
    """Choose how many terms of its singular value decomposition a picture is rebuilt from.

    Parameters
    ----------
    pixels : integer array (m, n)
        Brightness from 0, black, to 255, white.
    rank : int
        How many terms, 0 to min(m, n).
    **traits
        ``view`` (one of ``VIEWS``), ``caption``, ``description``. Rank and view can be read and set later, and set by
        the reader.

    Raises
    ------
    ValueError
        If the pixels are no matrix of integers from 0 to 255, or there is no such rank or view.
    """

    name = "picture_rank"
    _esm = module(name)

    pixels = traitlets.List(traitlets.Int(), read_only=True).tag(sync=True)
    columns = traitlets.Int(read_only=True).tag(sync=True)
    rank = traitlets.Int(0).tag(sync=True)
    view = traitlets.Unicode(VIEWS[0]).tag(sync=True)

    def __init__(self, pixels, rank=1, **traits):
        pixels = np.asarray(pixels)
        if pixels.ndim != 2 or not pixels.size:
            raise ValueError(f"pixels must be a matrix, got shape {pixels.shape}")
        if not np.all((pixels >= 0) & (pixels <= 255) & (pixels == np.round(pixels))):
            raise ValueError(f"pixels must be integers from 0 to 255, got {pixels.min()} to {pixels.max()}")
        self.set_trait("pixels", pixels.astype(int).ravel().tolist())
        self.set_trait("columns", pixels.shape[1])
        super().__init__(rank=rank, **traits)

    def picture_matrix(self):
        """Give the picture as a matrix.

        Returns
        -------
        float array (m, n)
            Brightness from 0 to 255.
        """
        return np.reshape(self.pixels, (-1, self.columns)).astype(float)

    def shown(self):
        """Compute what the view shows.

        Returns
        -------
        float array (m, n)
            The sum of the terms, the last one, or what is left, in units of brightness.
        """
        u, s, vt = self._factors
        first = self.rank - 1 if self.view == VIEWS[1] else 0
        total = u[:, max(first, 0) : self.rank] * s[max(first, 0) : self.rank] @ vt[max(first, 0) : self.rank]
        return self.picture_matrix() - total if self.view == VIEWS[2] else total

    def error(self):
        """Measure what is left of the picture.

        Returns
        -------
        float
            Its Frobenius norm divided by the picture's, 0 to 1; 0 for a black picture.
        """
        s = self._factors[1]
        return float(np.linalg.norm(s[self.rank :]) / (np.linalg.norm(s) or 1))

    def nbytes(self):
        """Count what the terms take to store.

        Returns
        -------
        int
            Bytes, four for each number of the columns, the rows and the singular values.
        """
        m = len(self.pixels) // self.columns
        return FLOAT_BYTES * self.rank * (m + self.columns + 1)

    def contrast(self):
        """Say how much larger differences of brightness are shown than they are.

        Returns
        -------
        float
            1 for the sum of the terms; otherwise 2, or less where numbers would not fit between black and white.
        """
        largest = np.abs(self.shown()).max()
        return 1.0 if self.view == VIEWS[0] else float(127 / max(largest, 63.5))

    def picture(self):
        """Draw the view as SVG text."""
        values = self.shown() if self.view == VIEWS[0] else 128 + self.contrast() * self.shown()
        m, n = values.shape
        height = round(WIDTH * m / n)
        source = base64.b64encode(_bitmap(np.clip(np.round(values), 0, 255).astype(np.uint8))).decode()
        return svg(
            WIDTH, height + 28,
            f'<image width="{WIDTH}" height="{height}" preserveAspectRatio="none" style="image-rendering:pixelated" '
            f'href="data:image/bmp;base64,{source}"/>',
            text(WIDTH / 2, height + 20, f"rank {self.rank} of {min(m, n)}", "middle"),
        )  # fmt: skip

    def describe(self):
        """Say how much is stored and how much is left."""
        m = len(self.pixels) // self.columns
        return (
            f"A grey picture of {m} rows and {self.columns} columns of pixels, rebuilt from {self.rank} of "
            f"{min(m, self.columns)} terms. Shown: {self.view}. {self.nbytes():,} bytes for the terms, "
            f"{FLOAT_BYTES * len(self.pixels):,} for all pixels, four for each number. "
            f"Left of the picture: {self.error():.1%} of its Frobenius norm."
        )

    def alt(self):
        """Name the picture; the description stands beneath it."""
        return f"{self.caption or 'A picture of low rank'}, described below"

    @functools.cached_property
    def _factors(self):
        return svd(self.picture_matrix())

    @validate("rank")
    def _exists(self, proposal):
        largest = min(len(self.pixels) // self.columns, self.columns)
        return require_between("rank", 0, largest, proposal["value"])

    @validate("view")
    def _known(self, proposal):
        if proposal["value"] not in VIEWS:
            raise ValueError(f"view must be one of {VIEWS}, got {proposal['value']!r}")
        return proposal["value"]


def _bitmap(grey):
    """Write a grey picture in the simplest format that browsers read, which every machine writes alike."""
    m, n = grey.shape
    rows = np.pad(grey[::-1], ((0, 0), (0, -n % 4))).tobytes()  # from the bottom, filled up to four bytes
    palette = b"".join(bytes((i, i, i, 0)) for i in range(256))
    start = 14 + 40 + len(palette)
    head = struct.pack("<2sIHHI", b"BM", start + len(rows), 0, 0, start)
    return head + struct.pack("<IiiHHIIiiII", 40, n, m, 1, 8, 0, len(rows), 2835, 2835, 256, 0) + palette + rows
