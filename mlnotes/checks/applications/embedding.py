"""What a lookup, its gradient and one-hot rows must satisfy, and how they are usually got wrong."""

import numpy as np

from mlnotes.applications.embedding import embedding, embedding_gradient, one_hot, tied_logits
from mlnotes.blocks.softmax import softmax
from mlnotes.checks.bank import Checks, Claim, Mistake, call, distance, frozen, oracle
from mlnotes.diagnosis.source import parameters_of

_rng = np.random.default_rng(13)
_table, _square, _upstream, _x, _many_x = frozen(*(_rng.normal(size=shape) for shape in ((7, 5), (5, 5), (2, 3, 5),
    (3, 5), (2, 3, 5))))
_table4, _table3, _x2, _upstream3, _ids, _pairs, _none = frozen(np.array([[0.0, 1.0], [10.0, 11.0], [20.0, 21.0],
    [30.0, 31.0]]), np.array([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0], [3.0, 1.0, 0.0]]), np.array([[1.0, 2.0], [3.0, 0.0],
    [-1.0, 1.0]]), np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), np.array([3, 1, 4, 1, 2]),
    np.array([[3, 0, 3], [6, 3, 1]]), np.array([], dtype=int))
_steep, _falling = frozen(*(np.array([[1.0, 0.0], [first, 0.0], [0.0, 1.0]]) for first in (2000.0, -2000.0)))
_near = np.array([[110.0, 0.0], [110.0, 0.01], [0.0, 1.0]])
_LAST_BITS = {"tolerance": 1e-13, "why": "at most 7 terms below 10 in float64: 7 · 70 · 1.1e-16 is 5e-14"}


def tied_gradient(table, a, b):
    """Give the gradient by E of −log softmax(E v_a)_b, where row a of E (n, d) is v_a: r v_aᵀ + onehot(a) rᵀE.

    r is softmax(E v_a) − onehot(b). All rows move along v_a, for all tokens were scored; row a moves once more.
    """
    entrance, truth = np.eye(len(table))[[a, b]]
    r = softmax(table @ table[a]) - truth
    return np.outer(r, table[a]) + np.outer(entrance, r @ table)


def _torch(name):
    def reference(*arguments):
        import torch

        return getattr(torch.nn.functional, name)(*map(torch.tensor, arguments)).numpy()

    return reference


def _torch_gradient(ids, upstream, n):
    import torch

    table = torch.zeros(n, upstream.shape[-1], dtype=torch.float64, requires_grad=True)
    torch.nn.functional.embedding(torch.tensor(ids), table).backward(torch.tensor(upstream))
    return table.grad.numpy()


def _autograd_through_both_ends(table, a, b):
    import torch

    e = torch.tensor(table, requires_grad=True)
    torch.nn.functional.cross_entropy(e @ e[a], torch.tensor(b)).backward()
    return e.grad


def _encoder(ids, n):
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(categories=[range(n)], sparse_output=False)
    return encoder.fit_transform(ids.reshape(-1, 1)).reshape(*ids.shape, n)


def _asked_for_what_it_takes(f, ids, n, dtype=None):
    """Ask only those versions for a dtype that take one: the exercise leaves it out."""
    if dtype is None or not any(it.name == "dtype" or it.kind == it.VAR_KEYWORD for it in parameters_of(f).values()):
        return f(ids, n)
    hot = f(ids, n, dtype=dtype)
    if hot.dtype != dtype:
        raise TypeError(f"its dtype is {hot.dtype} where {np.dtype(dtype)} is asked for")
    return hot


def _copies(f):
    table = _table.copy()
    f(_ids, table)[...] = 0
    return distance(table, _table)


def _transposed_product(f):
    return distance(f(_pairs, _upstream, 7), one_hot(_pairs, 7).reshape(6, 7).T @ _upstream.reshape(6, 5))


def _turned(f):
    q, _ = np.linalg.qr(_square)
    return distance(f(_table @ q, 3, 1), f(_table, 3, 1) @ q)


_ACCEPTED = "0 <= id_ < n"

CHECKS = (
    Checks(one_hot, run=_asked_for_what_it_takes,
        cases=(
            call(np.array([2, 0]), 3), call(np.array([[1, 0, 3], [2, 2, 0]]), 4).about("two axes"),
            call(_ids, 7).about("more numbers than occur"), call(_pairs, 7).about("two axes"),
            call(np.array(2), 3).about("a number without any axis"), call(np.array([2]), 3).about("a single number"),
            call(np.array([[1], [0]]), 2).about("an axis of size 1"),
            call(np.array([0, 3]), 3).about("a number that is not among the 3"),
            call(np.array([3, 0]), 3).about("a number in front that is not among the 3"),
            call(np.array([-1, 2]), 3).about("a negative number"),
            call(np.array([1, -2]), 3).about("a negative number behind a right one"),
            call(np.array([1, -1, 0]), 3).about("a negative number between right ones"),
            call(np.array([1, 3, 0]), 3).about("a number between right ones that is not among the 3"),
            call(np.array([0, 1]), 3).about("a number of 0 in front"),
            call(_ids, 7, dtype=np.float32).about("a dtype", edge=True),
            call(_none, 3).about("no numbers at all", edge=True),
            call(np.array([1.5]), 3).about("a number that is no integer", edge=True)),
        claims=(
            Claim("rows of the identity matrix", lambda f: distance(f(_pairs, 7), np.eye(7)[_pairs])),
            Claim("arg max gives the number back", lambda f: distance(f(_pairs, 7).argmax(-1), _pairs)),
            oracle("sklearn.preprocessing.OneHotEncoder", _encoder, call(_pairs, 7))),
        mistakes=(
            Mistake("width from the largest", lambda ids, n, dtype=None: np.eye(ids.max() + 1, dtype=dtype)[ids],
                "The width changes from batch to batch", "say how many numbers there are; do not let the data decide",
                "jwcalder/GraphLearning, issue 12 (2024)"),
            Mistake("minus one is the last",
                ((_ACCEPTED, "-n <= id_ < n"), ("ids[..., None] ==", "(ids % n)[..., None] ==")),
                "A number of -1 marks the last place", "refuse negative numbers, which NumPy counts from the end"),
            Mistake("unknown numbers mark nothing", (_ACCEPTED, "True"),
                "A number that is not among the n gives zeros, and nobody hears of it",
                "raise an error as soon as one of them is not"),
            Mistake("counted from one", ("ids[..., None] ==", "(ids - 1)[..., None] % n =="),
                "The one is a place too early, and number 0 becomes the last", "count from 0"),
            Mistake("numbers first", ("xp.astype(ids[..., None] == xp.arange(n, device=device(ids)), dtype)",
                "xp.moveaxis(xp.astype(ids[..., None] == xp.arange(n, device=device(ids)), dtype), -1, 0)"),
                "The one-hot axis comes first", "put the new axis last"),
            Mistake("axes of size 1 dropped", ("xp.astype(ids[..., None] == xp.arange(n, device=device(ids)), dtype)",
                "np.squeeze(xp.astype(ids[..., None] == xp.arange(n, device=device(ids)), dtype))"),
                "Axes of size 1 are gone", "leave np.squeeze out: the shape is that of ids, and n behind it"),
            Mistake("all in every row", ("ids[..., None] == xp.arange(n, device=device(ids))",
                "(ids[..., None] == ids[..., None]) & np.isin(np.arange(n), ids)"),
                "Each row marks the numbers of all rows: out[..., ids] goes through all of them",
                "mark one place in each row"),
            Mistake("all in one row", ("ids[..., None] == xp.arange(n, device=device(ids))",
                "(ids[..., None] == xp.arange(n, device=device(ids))).any(axis=-2 if ids.ndim else ())"),
                "A sentence gives one row, and the order is gone", "give each number its own row"))),
    Checks(embedding,
        cases=(
            call(np.array([2, 0, 2]), _table4), call(np.array([[3, 1], [0, 0]]), _table4).about("two axes"),
            call(_ids, _square).about("as many rows as columns"), call(_pairs, _table).about("two axes"),
            call(np.array([9, 2]), _table4).about("an id beyond the table"),
            call(np.array([4, 1]), _table4[:, :1]).about("an id of 4, for 4 rows"),
            call(np.array([-1, 2]), _table4).about("a negative id"),
            call(np.array([2, -2]), _table4).about("a negative id behind a right one"),
            call(np.array([1, -1, 0]), _table4).about("a negative id between right ones"),
            call(np.array([1, 4, 0]), _table4).about("an id of 4, for 4 rows, between right ones"),
            call(np.array(1), _table4).about("an id without any axis"),
            call(np.array([2]), _table4).about("a single id"),
            call(np.array([[2], [0]]), _table4).about("an axis of size 1"),
            call(_none, _table4).about("no ids at all", edge=True),
            call(np.array([0.5, 1.0]), _table4).about("an id that is no integer", edge=True)),
        claims=(
            Claim("equal to the product with one-hot rows",
                lambda f: distance(f(_pairs, _table), one_hot(_pairs, 7) @ _table)),
            Claim("ids in order give back the table", lambda f: distance(f(np.arange(7), _table), _table)),
            Claim("equal ids get equal vectors", lambda f: float(np.ptp(f(np.full(3, 2), _table), axis=0).max())),
            Claim("what is returned is a copy", _copies),
            oracle("torch.nn.functional.embedding", _torch("embedding"), call(_ids, _square), call(_pairs, _table)),
            oracle("numpy.take", lambda ids, table: np.take(table, ids, axis=0), call(_pairs, _table))),
        mistakes=(
            Mistake("columns looked up", ("xp.reshape(xp.take(table, flat, axis=0), (*ids.shape, table.shape[1]))",
                "xp.moveaxis(table[:, ids], 0, -1)"),
                "The vectors are columns of the table, and their width is its number of rows",
                "look up along the first axis: each row is a vector"),
            Mistake("id 0 for padding", lambda ids, table: np.where((ids == 0)[..., None], 0, embedding(ids, table)),
                "Id 0 gets zeros", "id 0 is a token like others: give it its row"),
            Mistake("axes of size 1 dropped", ("xp.reshape(xp.take(table, flat, axis=0), (*ids.shape, table.shape[1]))",
                "np.squeeze(xp.reshape(xp.take(table, flat, axis=0), (*ids.shape, table.shape[1])))"),
                "Axes of size 1 are gone", "leave np.squeeze out: the shape is that of ids, and the width behind it"),
            Mistake("rows counted from one", ("table, flat, axis=0", "table, flat - 1, axis=0"),
                "Every id gets its neighbour's vector, and id 0 the last", "count from 0"),
            Mistake("sentences run together", ("(*ids.shape, table.shape[1])", "(-1, table.shape[1])"),
                "The result has lost the axes of the batch", "keep the shape of the ids"),
            Mistake("minus one is the last row", (_ACCEPTED, "-n <= id_ < n"),
                "Padding of -1 gets the vector of the last token",
                "refuse the ids as soon as one of them is negative"),
            Mistake("wrapped around",
                ((_ACCEPTED, "True"), ("table, flat, axis=0", "table, flat % len(table), axis=0")),
                "An id beyond the table gets the vector of another token",
                "refuse ids beyond the table, and negative ones"),
            Mistake("single numbers",
                ("xp.reshape(xp.take(table, flat, axis=0), (*ids.shape, table.shape[1]))", "xp.take(table, ids)"),
                "Each id gets one number of the table, not a row",
                "name the axis: np.take(table, ids, axis=0), or table[ids]"),
            Mistake("clipped to the table",
                ((_ACCEPTED, "True"), ("table, flat, axis=0", "table, xp.clip(flat, 0, len(table) - 1), axis=0")),
                "An id beyond the table gets the vector of the last token",
                "refuse ids beyond the table, and negative ones"),
            Mistake("zeros beyond the table", ((_ACCEPTED, "True"), ("xp.take(table, flat, axis=0)",
                "(flat == flat % len(table))[:, None] * table[flat % len(table)]")),
                "An id beyond the table gets zeros, and nobody hears of it", "refuse ids beyond the table, and "
                    "negative ones",
                "TensorFlow, issue 5260 (2016)"))),
    Checks(embedding_gradient,
        cases=(
            call(np.array([1, 0, 1]), _upstream3, 3),
            call(np.array([2, 0, 1]), _upstream3, 4).about("nothing is repeated"),
            call(np.array([[2], [2], [0]]), _upstream3[:, None], 3).about("two axes"),
            call(_pairs, _upstream, 7).about("two axes"),
            call(_pairs[:1], _upstream[:1], 11).about("rows that do not occur"),
            call(_pairs, _upstream[..., :3], 7).about("as many columns as ids in a row"),
            call(np.array([1, 2]), _upstream3[:2], 3).about("an id of 0 that does not occur"),
            call(np.array(1), _upstream3[0], 3).about("an id without any axis", edge=True),
            call(_none, _upstream3[:0], 3).about("no ids at all", edge=True)),
        claims=(
            Claim("the transposed one-hot matrix times what comes from above", _transposed_product, **_LAST_BITS),
            Claim("rows that were not looked up get zero",
                lambda f: distance(f(_pairs, _upstream, 7)[[2, 4, 5]], np.zeros((3, 5)))),
            Claim("nothing is lost: the rows add up to what came from above",
                lambda f: distance(f(_pairs, _upstream, 7).sum(0), _upstream.sum((0, 1))), **_LAST_BITS),
            oracle("autograd through torch.nn.functional.embedding", _torch_gradient, call(_pairs, _upstream, 7),
                **_LAST_BITS)),
        mistakes=(
            *(Mistake("repeats lost", ("np.add.at(gradient, ids, upstream)", it),
                "A row that was looked up several times does not get all of its gradients",
                "add up what repeats: with one-hot rows, or np.add.reduceat after a sort",
                "autograd, issue 39 (2015)") for it in (
                "for row, above in zip(ids, upstream):\n        gradient[row] += above", "gradient[ids] += upstream")),
            Mistake("repeats averaged", ("gradient.astype(upstream.dtype)",
                "gradient / np.maximum(np.bincount(ids.ravel(), minlength=n), 1)[:, None]"),
                "A row that was looked up several times gets the mean of its gradients",
                "leave the sum as it is, unless rare tokens are meant to move more"),
            Mistake("added once for each repeat",
                lambda ids, upstream, n: embedding_gradient(ids, upstream, n)
                * np.maximum(np.bincount(ids.ravel(), minlength=n), 1)[:, None].astype(upstream.dtype),
                "A row that was looked up several times gets the sum of its gradients as many times",
                "add up once for each row of the table, not once for each id"),
            Mistake("first occurrence only", ("np.add.at(gradient, ids, upstream)",
                "gradient[np.unique(ids)] = upstream.reshape(ids.size, -1)[np.unique(ids, return_index=True)[1]]"),
                "A row that was looked up several times gets the first of its gradients",
                "add up what repeats: with one-hot rows, or np.add.reduceat after a sort"),
            Mistake("as many rows as the largest id says", ("np.zeros((n,", "np.zeros((ids.max() + 1,"),
                "Rows are missing at the end, for tokens that do not occur", "make n rows; do not let the data decide"),
            Mistake("batches apart", lambda ids, upstream, n: np.swapaxes(np.eye(n)[ids], -1, -2) @ upstream,
                "Each batch has a gradient of its own", "merge all axes of the ids into one first"),
            Mistake("vectors not sorted", ("np.add.at(gradient, ids, upstream)",
                "starts = np.unique(np.sort(ids, axis=None), return_index=True)[1]\n    "
                "gradient[np.unique(ids)] = np.add.reduceat(upstream.reshape(ids.size, -1), starts)"),
                "Runs of equal ids are added up where the vectors are still in their old order",
                "sort the vectors along with their ids"),
            Mistake("only the rows that occur", ("gradient.astype(upstream.dtype)", "gradient[np.unique(ids)]"),
                "The gradient is smaller than the table",
                "return a row for each row of the table, or the row numbers with it"))),
    Checks(tied_logits,
        cases=(
            call(_x2, _table4), call(_x2[0], _table4).about("a single vector"),
            call(_x2[:2], _table4[:2]).about("as many tokens as coordinates"), call(_x, _table),
            call(_x, _square).about("as many tokens as coordinates"), call(_many_x, _table).about("three axes")),
        claims=(
            Claim("a one-hot vector reads a column of the table", lambda f: distance(f(np.eye(5), _table), _table.T)),
            Claim("a row scores the square of its length at itself",
                lambda f: distance(np.diag(f(_table, _table)), (_table**2).sum(-1)), **_LAST_BITS),
            oracle("torch.nn.functional.linear", _torch("linear"), call(_x, _table), **_LAST_BITS)),
        mistakes=(
            Mistake("without transposing", ("x @ table.mT", "x @ table"),
                "It raises an error, or, for as many tokens as coordinates, scores columns",
                "transpose the table: each token is a row"),
            Mistake("a row for each token", ("x @ table.mT", "table @ x.T"),
                "It has a row for each token, and a column for each vector",
                "x comes first: its rows are the result's"),
            Mistake("cosines", ("x @ table.mT",
                "x @ table.mT / (np.linalg.norm(x, axis=-1)[..., None] * np.linalg.norm(table, axis=-1))"),
                "All scores lie between -1 and 1", "leave the lengths in: a longer row may have larger scores"),
            Mistake("scaled as in attention", ("x @ table.mT", "x @ table.mT / x.shape[-1] ** 0.5"),
                "The scores are too small by the root of the width", "do not scale: the table can learn its own"))),
    Checks(tied_gradient,
        cases=(
            call(_x2, 0, 1), call(_table3, 0, 1), call(_table3, 2, 0),
            call(_table3, 1, 1).about("a token that follows itself"),
            call(_table3[[0, 1, 0]], 0, 1).about("two tokens with the same vector"), call(_table, 3, 6),
            call(30 * _table, 3, 6).about("scores of thousands"),
            call(_steep, 0, 2).about("a score of 2000, not of the token itself"),
            call(_falling, 0, 2).about("a score of -2000"),
            call(_near, 0, 1).about("large scores close together")),
        claims=(
            Claim("it turns with the vectors", _turned, **_LAST_BITS),
            oracle("torch's autograd through both ends", _autograd_through_both_ends, call(_table, 3, 6),
                call(_table, 2, 2), **_LAST_BITS)),
        mistakes=(
            Mistake("truth forgotten at the exit", ("np.outer(r, table[a])", "np.outer(r + truth, table[a])"),
                "Row b is not drawn to what was looked up", "subtract 1 from p at b before both uses"),
            Mistake("exit only", (" + np.outer(entrance, r @ table)", ""), "It forgets that row a was looked up",
                "add what comes back to the entrance: Eᵀr, at row a"),
            Mistake("entrance only", ("np.outer(r, table[a]) + ", ""),
                "All rows but one are zero, as if tokens had not been scored by them",
                "add what the exit asks for: r v_aᵀ, for all rows"),
            Mistake("entrance left out where a follows itself",
                ("np.outer(entrance, r @ table)", "(a != b) * np.outer(entrance, r @ table)"),
                "Where a token follows itself, its lookup does not count", "row a was looked up, whatever comes next"),
            Mistake("entrance in place of exit",
                ("np.outer(r, table[a]) +", "np.outer((1 - entrance) * r, table[a]) +"),
                "Row a has lost what the exit asks of it", "row a plays both parts: add them"),
            Mistake("truth forgotten", (" - truth", ""), "It is not zero where the model is right and sure",
                "the gradient by the scores is softmax less 1 at the right token"),
            Mistake("truth forgotten at the entrance", ("r @ table", "(r + truth) @ table"),
                "The entrance does not hear which token came", "take the same p - truth there"),
            Mistake("entrance at every row", ("np.outer(entrance, r @ table)", "r @ table"),
                "Every row moves as if it had been looked up", "add what comes back to row a alone"),
            Mistake("softmax forgotten", ("softmax(table @ table[a])", "table @ table[a]"),
                "The scores stand where probabilities should", "turn them into probabilities by softmax first"))),
)
