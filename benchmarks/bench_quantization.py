"""What rounding to 4 bits and decoding cost beside PyTorch's and gguf's own, and what a factor saves over solving."""

import gguf
import numpy as np
import pytest
import torch

from mlnotes.applications.least_squares import lstsq
from mlnotes.efficient.quantization import decode_q4_1, dequantize, fake_quantize, gptq, quantize

W = np.random.default_rng(0).normal(size=(1536, 576)).astype(np.float32)
BLOCKS = gguf.quantize(W, gguf.GGMLQuantizationType.Q4_1)
SMALL, INPUTS = np.random.default_rng(1).normal(size=(8, 48)), np.random.default_rng(2).normal(size=(96, 48))


def of_torch(w):
    steps = w.abs().amax(-1) / 7
    return torch.fake_quantize_per_channel_affine(w, steps, torch.zeros(len(w), dtype=torch.int32), 0, -7, 7)


@pytest.mark.parametrize(("name", "function"), {"mlnotes": fake_quantize, "torch, per channel": of_torch}.items())
def test_time_of_rounding(race, name, function):
    w = torch.tensor(W)
    arguments = (w, 4, 576) if name == "mlnotes" else (w,)
    expected = dequantize(quantize(W.astype(float), 4, 576))
    race("rounding 1,536 × 576 by row to 4 bits", name, function, *arguments, expected=expected, tolerance=1e-4)


@pytest.mark.parametrize(
    ("name", "function"),
    {"mlnotes": decode_q4_1, "gguf": lambda it: gguf.dequantize(it, gguf.GGMLQuantizationType.Q4_1)}.items(),
)
def test_time_of_decoding(race, name, function):
    expected = gguf.dequantize(BLOCKS, gguf.GGMLQuantizationType.Q4_1)
    race("decoding 1,536 × 576 numbers in Q4_1", name, function, BLOCKS, expected=expected, tolerance=1e-7)


def column_by_column(w, x):
    step, left = quantize(w, 4, w.shape[1]).scale[:, 0], w.copy()
    for j in range(w.shape[1]):
        y = step * np.round(left[:, j] / step).clip(-7, 7)
        if j + 1 < w.shape[1]:
            left[:, j + 1 :] += np.outer(left[:, j] - y, lstsq(x[:, j + 1 :], x[:, j]))
        left[:, j] = y
    return left


@pytest.mark.parametrize(
    ("name", "function"),
    {
        "mlnotes": lambda w, x: dequantize(gptq(w, x, 4, w.shape[1], damping=0.0)),
        "a least-squares problem for each column": column_by_column,
    }.items(),
)
def test_time_of_compensation(race, name, function):
    expected = column_by_column(SMALL, INPUTS)
    race("compensated rounding, 8 × 48, 96 inputs", name, function, SMALL, INPUTS, expected=expected, tolerance=1e-9)
