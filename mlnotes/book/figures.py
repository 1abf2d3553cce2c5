"""Compare figures by their pixels."""

import base64
import io

import numpy as np
from PIL import Image

# In grey levels from 0 to 255. One wrong curve among white space drowns in an average over the whole figure (a thin
# grey line on 14 x 10 inches that moves by 5 % of the axis: 2.5, less than a curve that moves by a third of a pixel),
# so the largest average of any square of 8 x 8 pixels counts too: the same line gives 20, and a heat map's cell that
# changes by 1 % gives 4. Noise stays far below: curves that move by 1e-5 of the axis give 0.6 in the worst square and
# 0.06 over all, those that move by 1e-12 give 0.
SQUARE, LOCAL, OVERALL = 8, 3.0, 0.5


def figure_differences(committed, fresh):
    """Compare two pictures after decoding them.

    Parameters
    ----------
    committed, fresh : str
        PNG or JPEG files in base64.

    Returns
    -------
    list of str
        What differs: empty, or one line.
    """
    try:
        x, y = (_pixels(picture) for picture in (committed, fresh))
    except (OSError, SyntaxError, ValueError) as error:  # what Pillow raises for what it cannot read
        return [f": no picture can be read, {error}"]
    if x.shape != y.shape:
        sizes = (f"{width} x {height} pixels" for height, width, _ in (x.shape, y.shape))
        return [f": {next(sizes)} are committed, {next(sizes)} came now"]
    squared = ((x - y) ** 2).max(axis=-1)  # over red, green, blue and alpha
    padded = np.pad(squared, [(0, -n % SQUARE) for n in squared.shape])
    squares = padded.reshape(len(padded) // SQUARE, SQUARE, -1, SQUARE).mean(axis=(1, 3))
    local, overall = squares.max() ** 0.5, squared.mean() ** 0.5
    if local <= LOCAL and overall <= OVERALL:
        return []
    y, x = (SQUARE * int(i) for i in np.unravel_index(squares.argmax(), squares.shape))
    return [
        f": the figures differ most in the {SQUARE} x {SQUARE} pixels right of {x} and below {y}, by {local:.1f} of "
        f"255 (allowed {LOCAL}), and over all by {overall:.2f} (allowed {OVERALL})"
    ]


def _pixels(picture):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGBA"), float)
