"""The computations of the book *mlnotes*, one module for each chapter.

A function is imported from its chapter's module::

    from mlnotes.blocks.softmax import softmax

Axes are named by the same letters in every docstring and comment:

===== ======================================================
``b``  batch
``l``  queries
``s``  keys
``h``  heads
``g``  key/value heads (groups)
``d``  coordinates of a vector; in attention, width per head
``e``  value width
``n``  samples
``m`` and ``n``  rows and columns
===== ======================================================

``(..., l, d)`` means that any number of axes may stand before the last two.
"""
