"""What a lookup, its gradient and one-hot rows must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.applications.embedding import embedding, embedding_gradient, one_hot, tied_logits
from mlnotes.checks.oldbank import Checks, Claim, Mistake, distance, frozen

_rng = np.random.default_rng(13)
_table, _square, _upstream, _x, _ids, _pairs = frozen(
    _rng.normal(size=(7, 5)),
    _rng.normal(size=(5, 5)),
    _rng.normal(size=(2, 3, 5)),
    _rng.normal(size=(3, 5)),
    np.array([3, 1, 4, 1, 2]),
    np.array([[3, 0, 3], [6, 3, 1]]),
)
_LAST_BITS = "sums of at most 7 numbers in float64: a few units of 1e-16"


def _torch(name):
    def oracle(*arguments):
        import torch

        return getattr(torch.nn.functional, name)(*map(torch.tensor, arguments)).numpy()

    return oracle


def _torch_gradient(ids, upstream, n):
    import torch

    table = torch.zeros(n, upstream.shape[-1], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.embedding(torch.tensor(ids), table).backward(torch.tensor(upstream))
    return table.grad.numpy()


def _encoder(ids, n):
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(categories=[range(n)], sparse_output=False)
    return encoder.fit_transform(ids.reshape(-1, 1)).reshape(*ids.shape, n)


def _refuses(*bad):
    """Measure 0 if every call raises ValueError."""

    def error(f):
        for arguments in bad:
            try:
                f(*arguments)
            except ValueError:
                continue
            raise AssertionError(f"it accepts the ids {arguments[0].tolist()}")
        return 0.0

    return error


def _copies(f):
    table = _table.copy()
    f(_ids, table)[...] = 0
    return distance(table, _table)


def width_from_the_largest(ids, n):
    """Let the largest number that happens to occur decide how many there are."""
    return np.eye(ids.max() + 1)[ids]


def counted_from_one(ids, n):
    """Take the first number for 1."""
    return np.eye(n)[ids - 1]


def numbers_first(ids, n):
    """Put the new axis before the others."""
    return np.moveaxis(one_hot(ids, n), -1, 0)


def all_in_one_row(ids, n):
    """Mark all numbers of a row in the same vector."""
    return one_hot(ids, n).max(axis=-2)


def minus_one_is_the_last_row(ids, table):
    """Leave negative numbers to NumPy, which counts them from the end."""
    return table[ids]


def clipped_to_the_table(ids, table):
    """Move numbers outside of the table to its nearest row."""
    return table[np.clip(ids, 0, len(table) - 1)]


def zeros_beyond_the_table(ids, table):
    """Give zeros for rows that do not exist."""
    inside = (ids >= 0) & (ids < len(table))
    return table[np.where(inside, ids, 0)] * inside[..., None]


def columns_looked_up(ids, table):
    """Look up columns, as if the table held a vector in each."""
    return np.moveaxis(table[:, ids], 0, -1)


def rows_counted_from_one(ids, table):
    """Take row 0 for padding, and the first token for row 1."""
    return table[np.asarray(ids) - 1]


def sentences_run_together(ids, table):
    """Flatten the numbers and forget their shape."""
    return embedding(ids.ravel(), table)


def repeats_lost(ids, upstream, n):
    """Add with an index, which keeps one of equal places."""
    gradient = np.zeros((n, upstream.shape[-1]))
    gradient[ids] += upstream
    return gradient


def repeats_averaged(ids, upstream, n):
    """Divide by how often each row was looked up."""
    counts = np.bincount(ids.ravel(), minlength=n)[:, None]
    return embedding_gradient(ids, upstream, n) / np.maximum(counts, 1)


def only_the_rows_that_occur(ids, upstream, n):
    """Return the rows that were looked up, without the others."""
    return embedding_gradient(ids, upstream, n)[np.unique(ids)]


def without_transposing(x, table):
    """Multiply by the table as it lies."""
    return x @ table


def cosines(x, table):
    """Divide by the lengths of both vectors."""
    lengths = np.linalg.norm(x, axis=-1)[..., None] * np.linalg.norm(table, axis=-1)
    return x @ table.mT / lengths


def scaled_as_in_attention(x, table):
    """Divide by the root of the width."""
    return x @ table.mT / x.shape[-1] ** 0.5


OLD = (
    Checks(
        one_hot,
        probes=((_ids, 7), (_pairs, 7), (np.array([0, 2]), 3)),
        claims=(
            Claim("rows of the identity matrix", lambda f: distance(f(_pairs, 7), np.eye(7)[_pairs])),
            Claim("arg max gives the number back", lambda f: distance(f(_pairs, 7).argmax(-1), _pairs)),
            Claim(
                "as wide as asked for, whatever occurs",
                lambda f: distance(f(np.array([0, 1]), 7), np.eye(7)[:2]),
            ),
            Claim(
                "numbers that are not among the n are refused",
                _refuses((np.array([0, 7]), 7), (np.array([-1]), 7), (np.array([1.0]), 7)),
                edge=True,
            ),
            Claim(
                "sklearn.preprocessing.OneHotEncoder",
                lambda f: distance(f(_pairs, 7), _encoder(_pairs, 7)),
                kind="oracle",
            ),
        ),
        mistakes=(
            Mistake(
                width_from_the_largest,
                "The width changes from batch to batch",
                "say how many numbers there are; do not let the data decide",
                "GraphLearning, issue 12 (2024)",
            ),
            Mistake(counted_from_one, "The one is a place too early, and number 0 becomes the last", "count from 0"),
            Mistake(numbers_first, "The one-hot axis comes first", "put the new axis last"),
            Mistake(all_in_one_row, "A sentence gives one row, and the order is gone", "give each number its own row"),
        ),
    ),
    Checks(
        embedding,
        probes=(
            (_ids, _square),
            (_ids, _table),
            (_pairs, _table),
            (np.array([-1, 2]), _table),
            (np.array([7, 2]), _table),
        ),
        claims=(
            Claim(
                "equal to the product with one-hot rows",
                lambda f: distance(f(_pairs, _table), one_hot(_pairs, 7) @ _table),
            ),
            Claim("ids in order give back the table", lambda f: distance(f(np.arange(7), _table), _table)),
            Claim("equal ids get equal vectors", lambda f: float(np.ptp(f(np.full(3, 2), _table), axis=0).max())),
            Claim("what is returned is a copy", _copies),
            Claim(
                "ids that are no rows of the table are refused, negative ones too",
                _refuses((np.array([0, 7]), _table), (np.array([-1]), _table)),
                edge=True,
            ),
            Claim("ids that are no integers are refused", _refuses((np.array([0.0, 1.0]), _table)), edge=True),
            Claim(
                "torch.nn.functional.embedding",
                lambda f: max(
                    distance(f(i, t), _torch("embedding")(i, t)) for i, t in ((_ids, _square), (_pairs, _table))
                ),
                kind="oracle",
            ),
            Claim("numpy.take", lambda f: distance(f(_pairs, _table), np.take(_table, _pairs, axis=0)), kind="oracle"),
        ),
        mistakes=(
            Mistake(
                columns_looked_up,
                "The vectors are columns of the table, and their width is its number of rows",
                "look up along the first axis: each row is a vector",
            ),
            Mistake(rows_counted_from_one, "Every id gets its neighbour's vector, and id 0 the last", "count from 0"),
            Mistake(sentences_run_together, "The result has lost the axes of the batch", "keep the shape of the ids"),
            Mistake(
                minus_one_is_the_last_row,
                "Padding of -1 gets the vector of the last token",
                "refuse negative ids",
            ),
            Mistake(
                clipped_to_the_table,
                "An id beyond the table gets the vector of the last token",
                "refuse ids beyond the table",
            ),
            Mistake(
                zeros_beyond_the_table,
                "An id beyond the table gets zeros, and nobody hears of it",
                "refuse ids beyond the table",
                "TensorFlow, issue 5260 (2016)",
            ),
        ),
    ),
    Checks(
        embedding_gradient,
        probes=((_pairs, _upstream, 7), (_pairs[:1], _upstream[:1], 7)),
        claims=(
            Claim(
                "the transposed one-hot matrix times what comes from above",
                lambda f: distance(
                    f(_pairs, _upstream, 7), one_hot(_pairs, 7).reshape(6, 7).T @ _upstream.reshape(6, 5)
                ),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "rows that were not looked up get zero",
                lambda f: distance(f(_pairs, _upstream, 7)[[2, 4, 5]], np.zeros((3, 5))),
            ),
            Claim(
                "nothing is lost: the rows add up to what came from above",
                lambda f: distance(f(_pairs, _upstream, 7).sum(0), _upstream.sum((0, 1))),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "autograd through torch.nn.functional.embedding",
                lambda f: distance(f(_pairs, _upstream, 7), _torch_gradient(_pairs, _upstream, 7)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                repeats_lost,
                "A row that was looked up three times gets one of three gradients",
                "add with np.add.at, or torch's index_add",
                "autograd, issue 39 (2015)",
            ),
            Mistake(
                repeats_averaged,
                "A row that was looked up three times gets the mean of three gradients",
                "leave the sum as it is, unless rare tokens are meant to move more",
            ),
            Mistake(
                only_the_rows_that_occur,
                "The gradient is smaller than the table",
                "return a row for each row of the table, or the row numbers with it",
            ),
        ),
    ),
    Checks(
        tied_logits,
        probes=((_x, _table), (_x, _square)),
        claims=(
            Claim(
                "a one-hot vector reads a column of the table",
                lambda f: distance(f(np.eye(5), _table), _table.T),
            ),
            Claim(
                "a row scores the square of its length at itself",
                lambda f: distance(np.diag(f(_table, _table)), (_table**2).sum(-1)),
                1e-12,
                _LAST_BITS,
            ),
            Claim(
                "torch.nn.functional.linear",
                lambda f: distance(f(_x, _table), _torch("linear")(_x, _table)),
                1e-12,
                _LAST_BITS,
                "oracle",
            ),
        ),
        mistakes=(
            Mistake(
                without_transposing,
                "It raises an error, or, for as many tokens as coordinates, scores columns",
                "transpose the table: each token is a row",
            ),
            Mistake(
                cosines, "All scores lie between -1 and 1", "leave the lengths in: a longer row may have larger scores"
            ),
            Mistake(
                scaled_as_in_attention,
                "The scores are too small by the root of the width",
                "do not scale: the table can learn its own",
            ),
        ),
    ),
)
