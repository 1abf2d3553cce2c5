"""Multi-head attention: the split into heads, torch's own version, and the two layouts of the projections."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mlnotes.attention.causal_mask import causal_mask
from mlnotes.attention.multi_head import (
    fuse_projections,
    merge_heads,
    multi_head_attention,
    separate_projections,
    split_heads,
)
from mlnotes.attention.self_attention import attention

# Four sums in a row: projections of at most 12 products, scores of 4, an average of 7, a projection of 12. A rounding
# is 1.1e-16.
ROUNDED = 2e-14  # 40 roundings of numbers up to 4: 1.8e-14
WIDE = 1e-13  # the same with matrices of entries around 1, so numbers up to 25: 40 * 25 * 1.1e-16 = 1.1e-13


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


# Two sequences: 5 tokens of width 12 ask 7 tokens of widths 10 and 11; 3 heads of width 4.
Q, K, V = draw(2, 5, 12), draw(2, 7, 10, seed=1), draw(2, 7, 11, seed=2)
W = [draw(n, 12, seed=i) / 3 for i, n in enumerate((12, 10, 11, 12), 3)]
B = dict(zip(("b_q", "b_k", "b_v", "b_o"), draw(4, 12, seed=7), strict=True))


def torch_multi_head(q, k, v, w, n_heads, mask=None, biases=None):
    """torch's layer with our weights: its matrices are the transposes of ours, its True hides."""
    n = len(w[3])
    theirs = torch.nn.MultiheadAttention(
        n, n_heads, biases is not None, kdim=w[1].shape[0], vdim=w[2].shape[0], batch_first=True, dtype=torch.float64
    ).eval()
    state = {name: torch.tensor(np.asarray(x).T.copy()) for name, x in zip("qkvo", w, strict=True)}
    with torch.no_grad():
        if theirs.in_proj_weight is None:
            for name in "qkv":
                getattr(theirs, f"{name}_proj_weight").copy_(state[name])
        else:
            theirs.in_proj_weight.copy_(torch.cat([state["q"], state["k"], state["v"]]))
        theirs.out_proj.weight.copy_(state["o"])
        if biases is not None:
            theirs.in_proj_bias.copy_(torch.tensor(np.concatenate([biases[f"b_{r}"] for r in "qkv"])))
            theirs.out_proj.bias.copy_(torch.tensor(biases["b_o"]))
        hidden = None if mask is None else ~torch.tensor(np.broadcast_to(mask, (len(q), *mask.shape[-2:])))
        hidden = None if mask is None else hidden.repeat_interleave(n_heads, 0)
        return theirs(*map(torch.tensor, (q, k, v)), attn_mask=hidden, need_weights=False)[0].numpy()


@pytest.mark.parametrize("n_heads", [1, 2, 3, 12])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("biases", [None, B], ids=["no biases", "biases"])
def test_cross_attention_equals_torch(n_heads, masked, biases):
    mask = causal_mask(5, 7, offset=1) if masked else None
    found = multi_head_attention(Q, K, V, *W, n_heads, mask, **(biases or {}))
    np.testing.assert_allclose(found, torch_multi_head(Q, K, V, W, n_heads, mask, biases), rtol=0, atol=ROUNDED)


def test_self_attention_equals_torch_in_every_precision(backend):
    w = [draw(12, 12, seed=i) / 3 for i in range(4)]
    expected = torch_multi_head(*[backend.like(Q)] * 3, list(map(backend.like, w)), 3, causal_mask(5, 5))
    x = backend.array(Q)
    found = backend.read(multi_head_attention(x, x, x, *map(backend.array, w), 3, causal_mask(5, 5)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=5 * backend.tolerance)


def test_a_mask_of_each_sequence_holds_for_all_its_heads():
    padding = np.arange(7) < np.array([7, 4])[:, None, None]  # (2, 1, 7)
    mask = np.broadcast_to(padding, (2, 5, 7))
    expected = torch_multi_head(Q, K, V, W, 3, mask)
    for given_mask in (mask, padding, padding[:, None], mask.tolist()):
        np.testing.assert_allclose(multi_head_attention(Q, K, V, *W, 3, given_mask), expected, rtol=0, atol=ROUNDED)


def test_a_mask_with_an_axis_for_heads_holds_for_each_by_itself():
    mask = draw(3, 5, 7, seed=9) > -1
    found = multi_head_attention(Q[0], K[0], V[0], *W, 3, mask)
    heads = [
        attention(Q[0] @ W[0][:, c], K[0] @ W[1][:, c], V[0] @ W[2][:, c], m)
        for c, m in zip((slice(0, 4), slice(4, 8), slice(8, 12)), mask, strict=True)
    ]
    np.testing.assert_allclose(found, np.concatenate(heads, axis=-1) @ W[3], rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(
        multi_head_attention(Q[:1], K[:1], V[:1], *W, 3, mask[None])[0], found, rtol=0, atol=ROUNDED
    )


def test_as_many_sequences_as_heads_do_not_confuse_a_mask():
    q, k, v = (np.stack([x[0], x[1], x[0]]) for x in (Q, K, V))
    mask = draw(3, 5, 7, seed=9) > -1
    for i in range(3):
        alone = multi_head_attention(q[i], k[i], v[i], *W, 3, mask[i])
        np.testing.assert_allclose(multi_head_attention(q, k, v, *W, 3, mask)[i], alone, rtol=0, atol=ROUNDED)


@pytest.mark.parametrize("make", [np.asarray, torch.asarray])
def test_a_query_that_sees_nothing_gets_the_last_bias_alone(make):
    mask = np.ones((5, 7), bool)
    mask[3] = False
    arrays = [make(x) for x in (Q, K, V, *W)]
    assert (np.asarray(multi_head_attention(*arrays, 3, mask))[:, 3] == 0).all()
    found = multi_head_attention(*arrays, 3, mask, b_o=make(B["b_o"]))
    np.testing.assert_array_equal(np.asarray(found)[:, 3], np.stack([B["b_o"]] * 2))


def test_values_may_be_wider_than_keys_and_the_result_than_both():
    w_v, w_o = draw(11, 15), draw(15, 17)
    found = multi_head_attention(Q, K, V, *W[:2], w_v, w_o, 3)
    assert found.shape == (2, 5, 17)
    heads = attention(*(split_heads(x @ w, 3) for x, w in zip((Q, K, V), (*W[:2], w_v), strict=True)))
    assert heads.shape == (2, 3, 5, 5)
    np.testing.assert_allclose(found, merge_heads(heads) @ w_o, rtol=0, atol=WIDE)


def test_gradients_are_right_with_masks_and_fully_masked_rows():
    mask = causal_mask(5, 7)
    mask[2] = False
    arrays = [torch.tensor(x, requires_grad=True) for x in (Q[0], K[0], V[0], *W, *B.values())]
    call = lambda *a: multi_head_attention(*a[:7], 3, mask, **dict(zip(B, a[7:], strict=True)))  # noqa: E731
    assert torch.autograd.gradcheck(call, arrays, fast_mode=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_no_further_from_the_truth_than_torch(dtype):
    x = torch.tensor(draw(2, 31, 48)).to(dtype)
    w = [torch.tensor(draw(48, 48, seed=i) / 7).to(dtype) for i in range(4)]
    theirs = torch.nn.MultiheadAttention(48, 3, bias=False, batch_first=True, dtype=dtype).eval()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([m.T for m in w[:3]]))
        theirs.out_proj.weight.copy_(w[3].T)
        other = theirs(x, x, x, need_weights=False)[0].double()
    exact = multi_head_attention(*[x.double()] * 3, *(m.double() for m in w), 3)
    ours = multi_head_attention(x, x, x, *w, 3)
    assert ours.dtype == dtype
    assert (ours.double() - exact).abs().max() <= (other - exact).abs().max()


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4), st.lists(st.integers(1, 3), max_size=2))
def test_merging_undoes_splitting_and_heads_are_blocks_of_columns(n_heads, d, n, leading):
    x = draw(*leading, n, n_heads * d)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*leading, n_heads, n, d)
    for i in range(n_heads):
        np.testing.assert_array_equal(heads[..., i, :, :], x[..., i * d : (i + 1) * d])
    np.testing.assert_array_equal(merge_heads(heads), x)
    np.testing.assert_array_equal(merge_heads(torch.tensor(heads)).numpy(), x)


@given(st.integers(1, 5), st.integers(1, 5))
def test_the_two_layouts_are_a_permutation_apart_and_convert_both_ways(n_heads, d):
    w_q, w_k, w_v = draw(3, 7, n_heads * d)
    fused = fuse_projections(w_q, w_k, w_v, n_heads)
    for i in range(n_heads):
        mine = slice(i * d, (i + 1) * d)
        block = fused[:, 3 * i * d : 3 * (i + 1) * d]
        np.testing.assert_array_equal(block, np.concatenate([w_q[:, mine], w_k[:, mine], w_v[:, mine]], axis=1))
    for back, w in zip(separate_projections(fused, n_heads), (w_q, w_k, w_v), strict=True):
        np.testing.assert_array_equal(back, w)


def test_the_pseudocode_with_one_fused_projection_gives_what_separate_ones_give():
    """The notes' steps, in torch's own operations: project, reshape, permute, chunk, attend, permute, reshape."""
    x, w = torch.tensor(Q), torch.tensor(np.stack([draw(12, 12, seed=i) for i in range(4)]))
    fused = fuse_projections(w[0], w[1], w[2], 2)
    q, k, v = (x @ fused).reshape(2, 5, 2, 3 * 6).permute(0, 2, 1, 3).chunk(3, dim=-1)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v).permute(0, 2, 1, 3).reshape(2, 5, 12) @ w[3]
    torch.testing.assert_close(multi_head_attention(x, x, x, *w, 2), out, rtol=0, atol=WIDE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_heads": 5}, r"width divides by 5 heads, got shape \(2, 5, 12\)"),
        ({"n_heads": 0}, "n_heads must be positive, got 0"),
        ({"n_heads": 3.0}, r"n_heads must be an integer, got 3\.0"),
        ({"n_heads": True}, "n_heads must be an integer, got True"),
        ({"w_q": W[1]}, r"w_q must be a matrix with as many rows .* got w_q \(10, 12\) for rows \(2, 5, 12\)"),
        ({"w_o": W[1]}, r"w_o must be a matrix .* got w_o \(10, 12\) for rows \(2, 5, 12\)"),
        ({"w_v": W[2][0, 0]}, r"w_v must be a matrix .* got w_v \(\) for rows \(2, 7, 11\)"),
        ({"w_k": W[1][None]}, r"w_k must be a matrix .* got w_k \(1, 10, 12\)"),
        ({"w_k": draw(10, 15)}, r"q and k must have the same size along axis -1"),
        ({"v": V[:, :5]}, r"k and v must have the same size along axis -2"),
        ({"q": Q[0, 0]}, r"w_q must be a matrix .* for rows \(12,\)"),
        ({"mask": np.ones((7, 5), bool)}, r"mask must have shape \(5, 7\) or \(2, 3, 5, 7\), .* got \(7, 5\)"),
        ({"mask": np.ones((3, 5, 7), bool)}, r"mask must have shape \(5, 7\) or \(2, 5, 7\), .* got \(3, 5, 7\)"),
        ({"mask": np.ones((5, 7))}, "mask must be boolean"),
        ({"b_v": np.ones(11)}, r"b_v must have one entry for each column .* got \(11,\) for w_v \(11, 12\)"),
        ({"q": Q.tolist()}, "q must be an array of NumPy or PyTorch, got list"),
        ({"w_k": W[1].tolist()}, "w_k must be an array of NumPy or PyTorch, got list"),
        ({"q": Q.astype(int)}, "q must hold floating-point numbers, got dtype int64"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_both_values(change, message):
    arguments = {"q": Q, "k": K, "v": V} | dict(zip(("w_q", "w_k", "w_v", "w_o"), W, strict=True)) | {"n_heads": 3}
    with pytest.raises(ValueError, match=message):
        multi_head_attention(**(arguments | change))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: split_heads(draw(5, 12).tolist(), 3), "x must be an array of NumPy or PyTorch, got list"),
        (lambda: merge_heads(draw(3, 5, 2).tolist()), "x must be an array of NumPy or PyTorch, got list"),
        (lambda: separate_projections(W[1].tolist(), 2), "w_qkv must be an array of NumPy or PyTorch, got list"),
        (
            lambda: fuse_projections(W[1], W[1].tolist(), W[1], 3),
            "w_k must be an array of NumPy or PyTorch, got list",
        ),
        (lambda: split_heads(draw(12), 3), r"divides by 3 heads, got shape \(12,\)"),
        (lambda: merge_heads(draw(5, 12)), r"axes for heads, tokens and widths, got shape \(5, 12\)"),
        (lambda: fuse_projections(W[0], W[1], W[0], 3), r"same shape, got \(12, 12\), \(10, 12\) and \(12, 12\)"),
        (lambda: fuse_projections(*[W[0]] * 3, 5), "divides by 5 heads"),
        (lambda: separate_projections(draw(4, 12), 3), r"divides by 3 × 3 heads, got shape \(4, 12\)"),
    ],
)
def test_shapes_that_do_not_divide_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
