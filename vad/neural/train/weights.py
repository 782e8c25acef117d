"""A file of weights for hearthd, whose format stands in ../weights.go, as the state of a network."""
import struct

import numpy as np
import torch


def read(name):
    data = open(name, "rb").read()
    inputs, hidden, layers = struct.unpack("<3H", data[6:12])
    at = 16

    def floats(n):
        nonlocal at
        at += 4 * n
        return np.frombuffer(data, "<f4", n, at - 4 * n)

    def rows(n, columns):
        nonlocal at
        w = np.empty((n, columns), np.float32)
        for row in w:
            scale = floats(1)[0]
            row[:] = np.frombuffer(data, np.int8, columns, at) * scale
            at += columns
        return w

    state = {"dense.weight": rows(hidden, inputs), "dense.bias": floats(hidden)}
    for i in range(layers):
        state[f"gru.weight_ih_l{i}"], state[f"gru.weight_hh_l{i}"] = rows(3 * hidden, hidden), rows(3 * hidden, hidden)
        both, x, h = floats(2 * hidden), floats(hidden), floats(hidden)
        state[f"gru.bias_ih_l{i}"] = np.concatenate([both, x])
        state[f"gru.bias_hh_l{i}"] = np.concatenate([np.zeros_like(both), h])
    state["out.weight"], state["out.bias"] = rows(1, hidden), floats(1)
    return {k: torch.tensor(v) for k, v in state.items()}
