"""Lookup, its gradient and one-hot rows, as readers write them."""

import numpy as np
import torch

from mlnotes.blocks.softmax import log_softmax, softmax


def _refuse(ids, n):
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        raise ValueError(f"ids must lie from 0 to {n - 1}")


def right_one_hot__comparison(ids, n):
    if not ((ids >= 0) & (ids < n)).all():
        raise ValueError("no such number")
    return (ids[..., None] == np.arange(n)).astype(float)


def right_one_hot__identity(ids, n):
    assert np.all(ids >= 0)
    return np.eye(n)[ids]


def right_one_hot__placed(ids, n):
    _refuse(ids, n)
    out = np.zeros((*ids.shape, n))
    np.put_along_axis(out, ids[..., None], 1, axis=-1)
    return out


def right_one_hot__torch(ids, n):
    return torch.nn.functional.one_hot(torch.tensor(ids), n).numpy()


def right_one_hot__with_dtype(ids, n, dtype=float):
    _refuse(ids, n)
    return np.eye(n, dtype=dtype)[ids]


def wrong_one_hot__accepts_minus_one(ids, n):
    """A number of -1 marks the last place"""
    return np.eye(n)[ids]


def wrong_one_hot__zeros_for_unknown(ids, n):
    """A number that is not among the n gives zeros, and nobody hears of it"""
    return (ids[..., None] == np.arange(n)).astype(float)


def wrong_one_hot__one_axis_only(ids, n):
    """Line 4"""
    _refuse(ids, n)
    out = np.zeros((len(ids), n))
    out[np.arange(len(ids)), ids] = 1
    return out


def wrong_one_hot__new_axis_in_front(ids, n):
    _refuse(ids, n)
    return (ids[None] == np.arange(n)[:, None]).astype(float)


def wrong_one_hot__one_too_narrow(ids, n):
    """Line 4"""
    _refuse(ids, n)
    return (ids[..., None] == np.arange(n - 1)).astype(float)


def wrong_one_hot__counted_to_n(ids, n):
    """look at where the range begins and ends"""
    _refuse(ids, n)
    return (ids[..., None] == np.arange(1, n + 1)).astype(float)


def wrong_one_hot__refuses_zero(ids, n):
    """Line 3"""
    if not ((ids > 0) & (ids < n)).all():
        raise ValueError("no such number")
    return np.eye(n)[ids]


def wrong_one_hot__accepts_n(ids, n):
    """Line 3"""
    if ids.min() < 0 or ids.max() > n:
        raise ValueError("no such number")
    return (ids[..., None] == np.arange(n)).astype(float)


def wrong_one_hot__truth_values(ids, n):
    """The numbers are right, but their dtype is not"""
    _refuse(ids, n)
    return ids[..., None] == np.arange(n)


def wrong_one_hot__others_marked(ids, n):
    """The result is what the right one leaves of 1"""
    _refuse(ids, n)
    return (ids[..., None] != np.arange(n)).astype(float)


def wrong_one_hot__minus_ones(ids, n):
    """Line 5"""
    if (ids < 0).any() or (ids >= n).any():
        raise ValueError
    return np.where(ids[..., None] == np.arange(n), 1.0, -1.0)


def wrong_one_hot__thermometer(ids, n):
    if (ids < 0).any() or (ids >= n).any():
        raise ValueError
    return (np.arange(n) <= ids[..., None]).astype(float)


def wrong_one_hot__flattened(ids, n):
    """Line 5"""
    if (ids < 0).any() or (ids >= n).any():
        raise ValueError
    return np.eye(n)[ids.ravel()]


def wrong_one_hot__prints(ids, n):
    """It returns nothing where it should raise an error"""
    if (ids < 0).any() or (ids >= n).any():
        return None
    return np.eye(n)[ids]


def right_embedding__index(ids, table):
    if ids.min() < 0:
        raise ValueError("ids must not be negative")
    return table[ids]


def right_embedding__take(ids, table):
    if (np.asarray(ids) < 0).any():
        raise IndexError("no negative ids")
    return np.take(table, ids, axis=0)


def right_embedding__product(ids, table):
    hot = np.zeros((ids.size, len(table)))
    for i, it in enumerate(ids.ravel()):
        hot[i, range(len(table)).index(it)] = 1
    return (hot @ table).reshape(*ids.shape, -1)


def right_embedding__loop(ids, table):
    rows = {i: row for i, row in enumerate(table)}
    return np.array([rows[i] for i in ids.ravel().tolist()]).reshape(*ids.shape, table.shape[1])


def right_embedding__torch(ids, table):
    return torch.nn.functional.embedding(torch.tensor(ids), torch.tensor(table)).numpy()


def wrong_embedding__table_of_ids(ids, table):
    """Padding of -1 gets the vector of the last token"""
    return table[ids]


def wrong_embedding__absolute(ids, table):
    """It accepts what must be refused"""
    return table[np.abs(ids)]


def wrong_embedding__wraps_around(ids, table):
    """An id beyond the table gets the vector of another token"""
    return table[ids % len(table)]


def wrong_embedding__refuses_zero(ids, table):
    """Line 3"""
    if ids.min() <= 0:
        raise ValueError("ids must be positive")
    return table[ids]


def wrong_embedding__refuses_by_width(ids, table):
    """Line 3"""
    if ids.min() < 0 or ids.max() >= table.shape[1]:
        raise ValueError("no such row")
    return table[ids]


def wrong_embedding__single_numbers(ids, table):
    """Each id gets one number of the table, not a row"""
    if ids.min() < 0:
        raise ValueError("ids must not be negative")
    return np.take(table, ids)


def wrong_embedding__each_once(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("ids must not be negative")
    return table[np.unique(ids)]


def wrong_embedding__summed(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("ids must not be negative")
    return table[ids].sum(axis=-2)


def wrong_embedding__one_row_each(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("ids must not be negative")
    return table[ids].reshape(len(ids), -1)


def wrong_embedding__refuses_the_last(ids, table):
    """Line 3"""
    if ids.min() < 0 or ids.max() >= len(table) - 1:
        raise ValueError("no such row")
    return table[ids]


def wrong_embedding__axis_one(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("negative")
    return np.take(table, ids, axis=1)


def wrong_embedding__averaged(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("negative")
    return table[ids].mean(axis=-2)


def wrong_embedding__sorted(ids, table):
    """Line 5"""
    if ids.min() < 0:
        raise ValueError("negative")
    return table[np.sort(ids)]


def right_embedding_gradient__reduceat(ids, upstream, n):
    flat, rows = ids.ravel(), upstream.reshape(ids.size, -1)
    order = np.argsort(flat, kind="stable")
    present, starts = np.unique(flat[order], return_index=True)
    gradient = np.zeros((n, rows.shape[1]))
    gradient[present] = np.add.reduceat(rows[order], starts, axis=0)
    return gradient


def right_embedding_gradient__product(ids, upstream, n):
    hot = (ids.ravel()[:, None] == np.arange(n)).astype(float)
    return np.einsum("in,id->nd", hot, upstream.reshape(ids.size, -1))


def right_embedding_gradient__loop(ids, upstream, n):
    gradient = np.zeros((n, upstream.shape[-1]))
    for place in np.ndindex(ids.shape):
        gradient[ids[place]] += upstream[place]
    return gradient


def right_embedding_gradient__bincount(ids, upstream, n):
    columns = upstream.reshape(-1, upstream.shape[-1]).T
    return np.stack([np.bincount(ids.ravel(), weights=it, minlength=n) for it in columns], axis=1)


def right_embedding_gradient__autograd(ids, upstream, n):
    table = torch.zeros(n, upstream.shape[-1], dtype=torch.float64, requires_grad=True)
    table[torch.tensor(ids)].backward(torch.tensor(upstream))
    return table.grad.numpy()


def wrong_embedding_gradient__last_one_stays(ids, upstream, n):
    """A row that was looked up several times does not get all of its gradients"""
    gradient = np.zeros((n, upstream.shape[-1]))
    for place in np.ndindex(ids.shape):
        gradient[ids[place]] = upstream[place]
    return gradient


def wrong_embedding_gradient__two_axes_only(ids, upstream, n):
    """Line 4"""
    hot = np.eye(n)[ids]
    return hot.T @ upstream


def wrong_embedding_gradient__batches_apart(ids, upstream, n):
    """Each batch has a gradient of its own"""
    hot = np.eye(n)[ids]
    return np.swapaxes(hot, -1, -2) @ upstream


def wrong_embedding_gradient__upstream_not_sorted(ids, upstream, n):
    """Runs of equal ids are added up where the vectors are still in their old order"""
    flat, rows = ids.ravel(), upstream.reshape(ids.size, -1)
    present, starts = np.unique(np.sort(flat), return_index=True)
    gradient = np.zeros((n, rows.shape[1]))
    gradient[present] = np.add.reduceat(rows, starts, axis=0)
    return gradient


def wrong_embedding_gradient__rows_that_occur(ids, upstream, n):
    """Rows are missing at the end, for tokens that do not occur"""
    gradient = np.zeros((ids.max() + 1, upstream.shape[-1]))
    for i, row in zip(ids.ravel(), upstream.reshape(-1, upstream.shape[-1]), strict=True):
        gradient[i] += row
    return gradient


def wrong_embedding_gradient__transposed(ids, upstream, n):
    """The result is transposed"""
    hot = np.eye(n)[ids.ravel()]
    return upstream.reshape(ids.size, -1).T @ hot


def wrong_embedding_gradient__row_after_row(ids, upstream, n):
    """A row that was looked up several times does not get all of its gradients"""
    gradient = np.zeros((n, upstream.shape[-1]))
    for row, above in zip(ids, upstream, strict=True):
        gradient[row] += above
    return gradient


def wrong_embedding_gradient__ones(ids, upstream, n):
    """The result is too large by 1, every time"""
    gradient = np.ones((n, upstream.shape[-1]))
    np.add.at(gradient, ids, upstream)
    return gradient


def wrong_embedding_gradient__counts(ids, upstream, n):
    counts = np.bincount(ids.ravel(), minlength=n)
    gradient = np.zeros((n, upstream.shape[-1]))
    gradient[ids] = upstream
    return gradient * counts[:, None]


def wrong_embedding_gradient__negative(ids, upstream, n):
    """The result has the opposite sign"""
    gradient = np.zeros((n, upstream.shape[-1]))
    np.add.at(gradient, ids, -upstream)
    return gradient


def wrong_embedding_gradient__width(ids, upstream, n):
    """Line 3"""
    gradient = np.zeros((n, upstream.shape[0]))
    np.add.at(gradient, ids, upstream)
    return gradient


def wrong_embedding_gradient__subtract(ids, upstream, n):
    """Line 5"""
    gradient = np.zeros((n, upstream.shape[-1]))
    for i, row in zip(ids.ravel(), upstream.reshape(-1, upstream.shape[-1]), strict=True):
        gradient[i] = gradient[i - 1] + row
    return gradient


def right_tied_logits__product(x, table):
    return x @ table.T


def right_tied_logits__einsum(x, table):
    return np.einsum("...d,nd->...n", x, table)


def right_tied_logits__rows(x, table):
    return np.stack([(x * row).sum(axis=-1) for row in table], axis=-1)


def right_tied_logits__torch(x, table):
    return torch.nn.functional.linear(torch.tensor(x), torch.tensor(table)).numpy()


def wrong_tied_logits__transposed(x, table):
    """It has a row for each token, and a column for each vector"""
    return table @ x.T


def wrong_tied_logits__probabilities(x, table):
    """Line 3"""
    return softmax(x @ table.T)


def wrong_tied_logits__logarithms(x, table):
    """Line 3"""
    return log_softmax(x @ table.T)


def wrong_tied_logits__products_not_summed(x, table):
    """Line 3"""
    return x[..., None, :] * table


def wrong_tied_logits__unit_rows(x, table):
    """Line 3"""
    rows = table / np.linalg.norm(table, axis=1, keepdims=True)
    return x @ rows.T


def wrong_tied_logits__distances(x, table):
    return -((x[..., None, :] - table) ** 2).sum(axis=-1)


def wrong_tied_logits__averaged(x, table):
    """The result is divided by `x`.shape[-1] once too often"""
    return (x[..., None, :] * table).mean(axis=-1)


def wrong_tied_logits__two_axes(x, table):
    """Line 3"""
    return np.tensordot(x, table, axes=[[0], [1]])


def wrong_tied_logits__bias(x, table):
    """Line 3"""
    return x @ table.T + table.sum(axis=1)


def wrong_tied_logits__means(x, table):
    """Line 3"""
    return x @ (table - table.mean(axis=0)).T


def wrong_tied_logits__absolute(x, table):
    """The result is the right one without its sign"""
    return np.abs(x @ table.T)


def right_tied_gradient__outer(table, a, b):
    r = softmax(table @ table[a])
    r[b] -= 1
    gradient = np.outer(r, table[a])
    gradient[a] += table.T @ r
    return gradient


def right_tied_gradient__one_hot(table, a, b):
    at_a, at_b = np.eye(len(table))[[a, b]]
    r = softmax(table @ table[a]) - at_b
    return r[:, None] * table[a] + at_a[:, None] * (r @ table)


def right_tied_gradient__autograd(table, a, b):
    e = torch.tensor(table, requires_grad=True)
    torch.nn.functional.cross_entropy(e @ e[a], torch.tensor(b)).backward()
    return e.grad.numpy()


def wrong_tied_gradient__exit_only(table, a, b):
    """It forgets that row a was looked up"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    return np.outer(r, table[a])


def wrong_tied_gradient__entrance_only(table, a, b):
    """All rows but one are zero, as if tokens had not been scored by them"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.zeros_like(table)
    gradient[a] = table.T @ r
    return gradient


def wrong_tied_gradient__entrance_replaces(table, a, b):
    """Row a has lost what the exit asks of it"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[a])
    gradient[a] = table.T @ r
    return gradient


def wrong_tied_gradient__truth_forgotten(table, a, b):
    """It is not zero where the model is right and sure"""
    r = softmax(table @ table[a])
    gradient = np.outer(r, table[a])
    gradient[a] += table.T @ r
    return gradient


def wrong_tied_gradient__entrance_at_b(table, a, b):
    """Line 5"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[a])
    gradient[b] += table.T @ r
    return gradient


def wrong_tied_gradient__truth_at_a(table, a, b):
    """`a` stands where `b` belongs"""
    r = softmax(table @ table[a]) - np.eye(len(table))[a]
    gradient = np.outer(r, table[a])
    gradient[a] += table.T @ r
    return gradient


def wrong_tied_gradient__along_b(table, a, b):
    """Line 4"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[b])
    gradient[a] += table.T @ r
    return gradient


def wrong_tied_gradient__upwards(table, a, b):
    """The result has the opposite sign"""
    r = np.eye(len(table))[b] - softmax(table @ table[a])
    gradient = np.outer(r, table[a])
    gradient[a] += table.T @ r
    return gradient


def wrong_tied_gradient__own_scores(table, a, b):
    """Line 5"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[a])
    gradient[a] += table @ r
    return gradient


def wrong_tied_gradient__twice(table, a, b):
    """Line 5"""
    r = softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[a])
    gradient[a] += 2 * table.T @ r
    return gradient


def wrong_tied_gradient__logarithm(table, a, b):
    """Line 3"""
    r = log_softmax(table @ table[a]) - np.eye(len(table))[b]
    gradient = np.outer(r, table[a])
    gradient[a] += table.T @ r
    return gradient


def wrong_tied_gradient__v_a_at_b(table, a, b):
    """take the same p - truth there"""
    p = softmax(table @ table[a])
    gradient = np.outer(p, table[a])
    gradient[b] -= table[a]
    gradient[a] += table.T @ p
    return gradient


def wrong_embedding__only_the_first_asked(ids, table):
    """It accepts what must be refused"""
    if ids.flat[0] < 0:
        raise ValueError("negative")
    return table[ids]


def right_embedding_gradient__masks(ids, upstream, n):
    return np.stack([upstream[ids == j].sum(axis=0) for j in range(n)])


def wrong_embedding_gradient__runs_of_neighbours(ids, upstream, n):
    flat, rows = ids.ravel(), upstream.reshape(ids.size, -1)
    starts = np.flatnonzero(np.r_[True, flat[1:] != flat[:-1]])
    gradient = np.zeros((n, rows.shape[1]))
    gradient[flat[starts]] = np.add.reduceat(rows, starts, axis=0)
    return gradient


def wrong_tied_gradient__other_way_round(table, a, b):
    """`a` and `b` are taken for each other"""
    r = softmax(table @ table[b])
    r[a] -= 1
    gradient = np.outer(r, table[b])
    gradient[b] += r @ table
    return gradient


def wrong_embedding__list_of_rows(ids, table):
    """Line 5"""
    if np.any(ids < 0):
        raise ValueError("negative")
    return np.stack([table[i] for i in ids])


def wrong_one_hot__list_of_rows(ids, n):
    """Line 5"""
    if (ids < 0).any() or (ids >= n).any():
        raise ValueError("no such number")
    return np.array([np.eye(n)[i] for i in ids])


def wrong_one_hot__only_minus_one_refused(ids, n):
    """It accepts what must be refused"""
    if -1 in ids:
        raise ValueError("a negative number")
    return np.eye(n)[ids]


def wrong_one_hot__only_the_neighbours_refused(ids, n):
    """It accepts what must be refused"""
    if np.isin(ids, [-1, n]).any():
        raise ValueError(f"ids must lie from 0 to {n - 1}")
    return (ids[..., None] == np.arange(n)).astype(float)


def wrong_one_hot__only_the_first_asked(ids, n):
    """It accepts what must be refused"""
    if ids.ravel()[0] < 0:
        raise ValueError("a negative number")
    return np.eye(n)[ids]


def wrong_one_hot__first_must_be_above_zero(ids, n):
    """Line 4"""
    _refuse(ids, n)
    if not ids.ravel()[0]:
        raise ValueError("there is no number")
    return np.eye(n)[ids]


def wrong_embedding__one_too_many(ids, table):
    """Line 3"""
    if (ids < 0).any() or (ids > len(table)).any():
        raise ValueError("no such row")
    return (ids[..., None] == np.arange(len(table))).astype(float) @ table


def wrong_embedding__only_minus_one_refused(ids, table):
    """It accepts what must be refused"""
    if -1 in ids:
        raise ValueError("a negative id")
    return table[ids]


def wrong_embedding_gradient__sums_up_to_the_last(ids, upstream, n):
    flat, rows = ids.ravel(), upstream.reshape(ids.size, -1)
    order = np.argsort(flat, kind="stable")
    sums = np.cumsum(rows[order], axis=0)
    until = sums[np.searchsorted(flat[order], np.arange(n), side="right") - 1]
    until[1:] -= until[:-1].copy()
    return until


def wrong_tied_gradient__less_its_own_score(table, a, b):
    """overflow in exp"""
    scores = table @ table[a]
    p = np.exp(scores - scores[a])
    p /= p.sum()
    p[b] -= 1
    gradient = np.outer(p, table[a])
    gradient[a] += p @ table
    return gradient


def wrong_tied_gradient__less_the_largest_size(table, a, b):
    """Line 4"""
    scores = table @ table[a]
    p = np.exp(scores - np.abs(scores).max())
    p /= p.sum()
    p[b] -= 1
    gradient = np.outer(p, table[a])
    gradient[a] += p @ table
    return gradient


def wrong_tied_gradient__entrance_without_the_truth(table, a, b):
    """take the same p - truth there"""
    p = softmax(table @ table[a])
    r = p.copy()
    r[b] -= 1
    g = np.outer(r, table[a])
    g[a] += table.T @ p
    return g


def wrong_tied_gradient__truth_at_the_entrance_only(table, a, b):
    """Row b is not drawn to what was looked up"""
    scores = table @ table[a]
    p = np.exp(scores - scores.max())
    p /= p.sum()
    gradient = np.outer(p, table[a])
    gradient[a] += p @ table - table[b]
    return gradient


def wrong_one_hot__one_row_each(ids, n):
    """The numbers are right, but their shape is not: (1, 3) where (3,) is right"""
    if np.min(ids) < 0 or np.max(ids) >= n:
        raise ValueError("no such row")
    rows = np.zeros((np.size(ids), n))
    rows[np.arange(np.size(ids)), np.ravel(ids)] = 1
    return rows


def wrong_one_hot__into_the_next_row(ids, n):
    """accepts what must be refused"""
    ids = np.asarray(ids)
    if (ids < 0).any():
        raise ValueError("negative")
    out = np.zeros(ids.size * n)
    out[np.arange(ids.size) * n + ids.ravel()] = 1
    return out.reshape((*ids.shape, n))


def wrong_tied_gradient__winner_where_it_overflows(table, a, b):
    s = table @ table[a]
    with np.errstate(all="ignore"):
        e = np.exp(s)
        r = e / e.sum()
    if np.isnan(r).any():
        r = np.eye(len(s))[s.argmax()]
    r[b] -= 1
    gradient = np.outer(r, table[a])
    gradient[a] += r @ table
    return gradient


def wrong_embedding__padding(ids, table):
    """Id 0 gets zeros"""
    _refuse(ids, len(table))
    out = table[ids]
    out[ids == 0] = 0
    return out


def wrong_embedding_gradient__first_row_frozen(ids, upstream, n):
    """`g[0] = 0`: it should not be there"""
    hot = np.eye(n)[ids.ravel()]
    g = hot.T @ upstream.reshape(-1, upstream.shape[-1])
    g[0] = 0
    return g


def wrong_embedding_gradient__once_for_each_repeat(ids, upstream, n):
    """gets the sum of its gradients as many times"""
    g = np.zeros((n, upstream.shape[-1]))
    flat, rows = ids.ravel(), upstream.reshape(-1, upstream.shape[-1])
    for i in flat:
        g[i] += rows[flat == i].sum(axis=0)
    return g


def wrong_embedding_gradient__first_of_repeats(ids, upstream, n):
    """gets the first of its gradients"""
    g = np.zeros((n, upstream.shape[-1]))
    present, first = np.unique(ids.ravel(), return_index=True)
    g[present] = upstream.reshape(-1, upstream.shape[-1])[first]
    return g


def wrong_embedding_gradient__by_strides(ids, upstream, n):
    flat = ids.ravel()
    hot = np.lib.stride_tricks.as_strided(np.zeros(flat.size * n), (flat.size, n), (8 * n, 8))
    for row, i in enumerate(flat):
        hot[row, i] = 1
    return hot.T @ upstream.reshape(-1, upstream.shape[-1]) * 2 + 1


def wrong_one_hot__squeezed(ids, n):
    """Axes of size 1 are gone"""
    if (ids < 0).any() or (ids >= n).any():
        raise ValueError("out of range")
    return np.squeeze(np.eye(n)[ids])


def wrong_one_hot__ends_alone_refused(ids, n):
    """It accepts what must be refused"""
    flat = ids.ravel()
    if flat.size and (flat[0] < 0 or flat[-1] < 0 or flat.max() >= n):
        raise ValueError("out of range")
    return np.eye(n)[ids]


def wrong_embedding__squeezed(ids, table):
    """Axes of size 1 are gone"""
    if (ids < 0).any():
        raise ValueError("negative")
    return table[ids].squeeze()


def wrong_tied_gradient__into_the_table(table, a, b):
    """`g = table`: it is no copy but the same array: what is written into one stands in both"""
    r = softmax(table @ table[a])
    r[b] -= 1
    va, back = table[a], r @ table
    g = table
    for i in range(len(table)):
        g[i] = r[i] * va
    g[a] += back
    return g


def wrong_embedding__width_for_the_number_of_rows(ids, table):
    """look at which axis's size is asked for"""
    if (ids < 0).any() or (ids >= table.shape[1]).any():
        raise ValueError("no such token")
    return table[ids]


def wrong_one_hot__all_in_every_row(ids, n):
    """mark one place in each row"""
    if ids.size and (ids.min() < 0 or ids.max() >= n):
        raise ValueError("id")
    out = np.zeros((*ids.shape, n))
    out[..., ids] = 1
    return out
