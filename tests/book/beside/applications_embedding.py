"""Count the vowels that lie near vowels in wider tables of letters, and in what these tables predict."""

import sys

import numpy as np
from cells import Page

from mlnotes.blocks.softmax import softmax

page = Page(__file__)
page.run_until("letter-geometry", without=("b6692ea5", "f1f836cb", "letter-geometry"))
(source,) = (cell.source for cell in page.cells if cell.id == "f1f836cb")
page.run("f1f836cb", (source[source.index("for vowel in") :], ""))
page.run("letter-geometry", ("(1, 2, 3)", "()"))
for width in 3, 8, 16:
    draws = ("2**-0.5, (2, 27)", f"{width}**-0.5, ({width}, 27)")
    page.run("letter-vectors", ("Embedding(27, 2,", f"Embedding(27, {width},"), draws)
    kind = "3 numbers" if width == 3 else "8 or 16 numbers"
    for seed in range(4):
        _, vectors, readout = page["letter_vectors"](seed)
        page.report(f"vowels near vowels, {kind}", page["vowels_near_vowels"](vectors))
        if width > 3:
            shares = softmax(vectors @ readout)
            page.report(f"by roots of predicted shares, {kind}", page["vowels_near_vowels"](np.sqrt(shares)))
found = page.measured["vowels near vowels, 8 or 16 numbers"]
page.hold("fewest and most of them", [5, 9], [min(found), max(found)], within=0)
sys.exit(page.compare())
