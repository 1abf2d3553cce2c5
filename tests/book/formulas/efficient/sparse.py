"""What the letters stand for in the formulas of sparse attention."""

from functools import reduce

import numpy as np

from mlnotes.book.formulas import NotRead
from mlnotes.efficient import sparse as ours

n_queries, s, w, offset, L = 5, 13, 4, 6, 3
mask = ours.sliding_window_mask(n_queries, s, w, offset)
long = ours.sliding_window_mask(40, 40, w)
# Of each token in what the last one has heard, with equal weights.
shares = reduce(np.convolve, [np.full(w, 1 / w)] * L)
back = np.arange(len(shares))
WINDOW = {  # queries and keys are counted from 0
    "m": lambda i, j: float(mask[i, j]),
    "i": range(n_queries),
    "j": range(s),
    r"\mathrm{offset}": offset,
    "w": w,
}
HEARD = {"L": L, "w": w, "value": int((np.linalg.matrix_power(long.astype(int), L)[-1] > 0).sum())}
SPREAD = {"L": L, "w": w, "value": np.sqrt(shares @ (back - shares @ back) ** 2)}

FORMULAS = {"sp-window": [WINDOW], "sp-layers": [HEARD], "sp-gradcap": [SPREAD]}
INLINE = {"sp-hand2": {"6+1=7": {}}, "sp-widget2": {r"3(w-1)\ge31": NotRead("a condition")}}

DOCSTRINGS = {"sliding_window_mask": [WINDOW | {r"\mathrm{window}": w}]}
