"""Building blocks: products, decompositions, derivatives, descent, softmax, and what stays the same under a group."""
