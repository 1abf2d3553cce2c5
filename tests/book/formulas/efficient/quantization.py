"""What the letters stand for in the formulas of quantization."""

import numpy as np
from gguf import GGMLQuantizationType, quants
from scipy.linalg import qr
from torch import fake_quantize_per_tensor_affine, quint8, tensor
from torch.ao.quantization import MinMaxObserver

from mlnotes.book.formulas import From
from mlnotes.efficient import quantization as ours

rng = np.random.default_rng(0)
E, M = 4, 3
grid = ours.float_grid(E, M)
FLOATS = {
    "x": From(lambda at: grid[int(at["e"]) * 2**M + int(at["f"])]),
    "B": 1 - int(np.log2(grid[2**M])),  # the first number with a leading one is the power 1 - B of two
    "E": E,
    "M": M,
    "e": range(1, 2**E - 1),
    "f": range(2**M),
}

n, b = 7, 3
x = rng.normal(size=n)
each = range(1, n + 1)


def rounded(symmetric):
    """Round all of x on one grid."""
    quantized = ours.quantize(x, b, None, symmetric)
    return {
        r"\mathbf x": x,
        "c": quantized.codes.astype(float),
        r"\Delta": quantized.scale.item(),
        "m": quantized.minimum.item(),
        r"\hat x": ours.dequantize(quantized),
        "b": b,
        "i": each,
    }


GRIDS = {
    r"\text{absmax:}": rounded(symmetric=True),
    r"\text{minimum and maximum:}": rounded(symmetric=False),
    r"\text{both:}": rounded(symmetric=False),
}

# A zero point: the whole number that PyTorch finds for these bits, and what comes back.
watch = MinMaxObserver(dtype=quint8, quant_min=0, quant_max=2**b - 1)
watch(tensor(x))
step, zero = (it.item() for it in watch.calculate_qparams())
ZERO = {
    r"\hat x": fake_quantize_per_tensor_affine(tensor(x), step, zero, 0, 2**b - 1).numpy()[0],
    r"\Delta": step,
    "c": np.clip(np.round(x / step) + zero, 0, 2**b - 1)[0],
    "z": zero,
    "m": x.min(),
    "tolerance": 1e-6,  # of float32
}

# Compensation, in this chapter's letters; columns of the inputs count from 1.
X = rng.normal(size=(11, n))
backwards, triangle = qr(X[:, ::-1], mode="economic")  # orthonormal columns that span the last ones, one after another
signs = np.sign(np.diag(triangle))
orthonormal = (backwards * signs)[:, ::-1]
U = np.linalg.lstsq(X, orthonormal)[0].T
beta = [np.linalg.lstsq(X[:, j:], X[:, j - 1])[0] for j in range(1, n)]
w = rng.normal(size=(1, n))
epsilon = (w - ours.dequantize(ours.gptq(w, X, b)))[0, 0]
COMPENSATED = {
    r"\mathbf X": X,
    r"\mathbf x": lambda j: X[:, int(j) - 1],
    r"\mathbf H": X.T @ X,
    r"\mathbf U": U,
    r"\tilde{\mathbf U}": (triangle.T * signs)[::-1, ::-1],
    r"\mathbf I": np.eye(n),
    r"\boldsymbol\beta": lambda j: beta[int(j) - 1],
    r"\mathbf u_{j,>j}": From(lambda at: U[int(at["j"]) - 1, int(at["j"]) :]),
    "i": each,
    "j": range(1, n),  # behind the last column there is none
}
FIRST = {
    r"\epsilon": epsilon,
    r"\mathbf w": w[0],
    r"\hat w": ours.dequantize(ours.quantize(w, b))[0],
    r"\mathbf X_{>1}": X[:, 1:],
    r"\mathbf x": lambda j: X[:, int(j) - 1],
    r"\boldsymbol\delta": epsilon * beta[0],
    "value": np.linalg.norm(epsilon * orthonormal[:, 0] / U[0, 0]),
}
BEST = {
    r"\mathbf X_{>j}": X[:, 3:],
    r"\mathbf x": lambda j: X[:, int(j) - 1],
    r"\boldsymbol\delta": beta[2],
    "j": 3,
    "scale": 1.0,
}

FORMULAS = {
    "half": [FLOATS],
    "even": [GRIDS],
    "gptq-cholesky": [COMPENSATED | {"value": From(lambda at: orthonormal[:, int(at["j"]) - 1])}],
}
INLINE = {
    "half": {r"B=2^{E-1}-1": FLOATS},
    "by-hand-says": {r"\hat x=\Delta(c-z)": ZERO, r"z=\mathrm{round}(-m/\Delta)": ZERO},
    "zero-point-says": {r"\int_{-1/2}^{1/2}t^2\,dt=\tfrac1{12}": {}},
    "gptq-math": {
        r"\epsilon=w_1-\hat w_1": FIRST,
        r"\lVert\mathbf X_{>1}\boldsymbol\delta-\epsilon\,\mathbf x_1\rVert": FIRST,
    },
    "gptq-cholesky": {
        r"\mathbf H=\mathbf X^{\mathsf T}\mathbf X": COMPENSATED,
        r"\mathbf H=\tilde{\mathbf U}\tilde{\mathbf U}^{\mathsf T}": COMPENSATED,
        r"\mathbf U=\tilde{\mathbf U}^{-1}": COMPENSATED,
        r"\mathbf U\mathbf H\mathbf U^{\mathsf T}=\mathbf I": COMPENSATED,
        r"\boldsymbol\beta_j=-\mathbf u_{j,>j}/u_{jj}": COMPENSATED,
    },
    "sol-stand-ins": {
        r"\mathbf X_{>j}^{\mathsf T}(\mathbf x_j-\mathbf X_{>j}\boldsymbol\delta)=\mathbf 0": BEST,
    },
}

# Damped, which is least squares with more rows. After columns up to j have their codes, the others stand in best.
damping, mean = 0.3, np.mean((X**2).sum(0))
more_rows = np.concatenate([X, np.sqrt(damping * mean) * np.eye(n)])
H = more_rows.T @ more_rows
rounding = ours.gptq(w, X, b, damping=damping)
w_hat = ours.dequantize(rounding)[0]


def standing_in(j):
    """Find what columns behind j become by least squares."""
    j = int(j)
    return w[0, j:] + np.linalg.lstsq(more_rows[:, j:], more_rows[:, :j] @ (w[0] - w_hat)[:j])[0]


left = np.array([standing_in(j)[0] for j in range(n)])
assert np.all(np.abs(left - w_hat) <= rounding.scale / 2)
STOOD_IN = {
    r"\mathbf w_{>j}": From(lambda at: standing_in(at["j"] - 1)[1:]),
    r"\mathbf w_{>j}\leftarrow": From(lambda at: standing_in(at["j"])),
    "w": left,
    r"\hat w": w_hat,
    r"\mathbf X": X,
    r"\mathbf H": H,
    r"\mathbf I": np.eye(n),
    r"\mathbf U": np.linalg.cholesky(np.linalg.inv(H)).T,
    r"\delta": damping,
    r"\bar h": mean,
    "j": range(1, n),
}
STOOD_IN[r"\mathbf u_{j,>j}"] = From(lambda at: STOOD_IN[r"\mathbf U"][int(at["j"]) - 1, int(at["j"]) :])

# Blocks as the library of these formats writes them: codes behind two numbers in half precision, or one.
block = rng.normal(size=32).astype(np.float32)
q4_1, q8_0 = (quants.quantize(block, it) for it in (GGMLQuantizationType.Q4_1, GGMLQuantizationType.Q8_0))
DECODED = {
    "x": ours.decode_q4_1(q4_1),
    "c": np.concatenate([q4_1[4:] % 16, q4_1[4:] // 16]).astype(float),
    r"\Delta": float(q4_1[:2].view("<f2")[0]),
    "m": float(q4_1[2:4].view("<f2")[0]),
    "i": range(1, 33),
    "tolerance": 1e-6,  # of float32
}
SIGNED = DECODED | {
    "x": ours.decode_q8_0(q8_0),
    "c": q8_0[2:].view(np.int8).astype(float),
    r"\Delta": float(q8_0[:2].view("<f2")[0]),
}
SIZES = {"s": 29, "g": 3, "d": 16, r"\text{bits}": 4, r"\text{layers}": 5, r"\text{bytes}": 2, "r": 7}
STORED = {
    "b": 5,
    r"\text{bytes}": 3,
    r"\text{block}": 7,
    "k": [1, 2],
    "value": From(lambda at: ours.bits_per_number(5, 7, at["k"] == 1, 3)),
}
DOCSTRINGS = {
    "quantize": [rounded(symmetric=True) | {r"\text{or}": rounded(symmetric=False)}],
    "dequantize": [rounded(symmetric=False)],
    "bits_per_number": [STORED],
    "float_grid": [FLOATS | {"e": range(2**E - 1)}],
    "gptq": [STOOD_IN],
    "decode_q4_1": [DECODED],
    "decode_q8_0": [SIGNED],
    "quantized_cache_nbytes": [SIZES | {"value": ours.quantized_cache_nbytes(29, 3, 16, 4, 5, 2, 7)}],
}
DOCSTRINGS_INLINE = {
    "float_grid": {r"B = 2^{E-1} - 1": FLOATS},
    "gptq": {
        r"\mathbf H^{-1} = \mathbf U^{\mathsf T}\mathbf U": STOOD_IN,
        r"\mathbf H = \mathbf X^{\mathsf T}\mathbf X + \delta\bar h\,\mathbf I": STOOD_IN,
    },
}
