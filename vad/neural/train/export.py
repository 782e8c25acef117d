"""Writes the network for hearthd: export.py IN.pt WEIGHTS.bin GOLDEN.txt.

Weights become int8 with a scale for each row; the format stands in
../weights.go. GOLDEN.txt is what the network as written says of golden(), which
../detector_test.go makes in the same way.
"""
import binascii
import struct
import sys

import numpy as np
import torch

from features import INPUTS, features
from train import Net

# What the logit is multiplied by: soft labels make it timid. No earcon of hearthd then reaches 0.35, where the gate
# lets go (rigs/hearing), and 0.5 stays where it was.
SHARPER = 1.5


def rounded(w):
    scale = np.maximum(np.abs(w).max(1), 1e-9).astype(np.float32) / np.float32(127)
    return scale, np.clip(np.round(w / scale[:, None]), -127, 127).astype(np.int8)


def golden():
    """4 s of int16 made of integers only: noise of a linear congruential
    generator, then saw teeth whose pitch slides, in bursts, at four levels."""
    state, phase, out = 12345, 0, []
    for i in range(64000):
        state = (state * 1103515245 + 12345) % 2 ** 31
        noise = (state >> 16) % 2001 - 1000
        part = i // 16000
        phase = (phase + 400 + 300 * (i // 1600 % 5) + i % 16000 // 80) % 65536
        tooth = phase - 32768 if i // 2400 % 3 else 0
        out.append((noise * (1, 3, 1, 8)[part] + tooth * (0, 9, 3, 12)[part] // 2) // (8, 20, 200, 12)[part])
    return np.clip(np.array(out), -32768, 32767).astype(np.int16)


def main():
    saved = torch.load(sys.argv[1])
    hidden, w = saved["hidden"], {k: v.numpy() for k, v in saved["weights"].items()}
    net = Net()
    body = b""
    for name in ("out.weight", "out.bias"):
        w[name] = w[name] * np.float32(SHARPER)

    def rows(name):
        nonlocal body
        scale, q = rounded(w[name])
        for s, r in zip(scale, q):
            body += struct.pack("<f", s) + r.tobytes()
        w[name] = scale[:, None] * q.astype(np.float32)

    rows("dense.weight")
    body += w["dense.bias"].astype("<f4").tobytes()
    for i in range(2):
        rows(f"gru.weight_ih_l{i}")
        rows(f"gru.weight_hh_l{i}")
        x, h = w[f"gru.bias_ih_l{i}"], w[f"gru.bias_hh_l{i}"]
        body += (x[:2 * hidden] + h[:2 * hidden]).astype("<f4").tobytes()
        body += x[2 * hidden:].astype("<f4").tobytes() + h[2 * hidden:].astype("<f4").tobytes()
    rows("out.weight")
    body += w["out.bias"].astype("<f4").tobytes()
    head = b"hvad" + struct.pack("<4HI", 1, INPUTS, hidden, 2, binascii.crc32(body))
    open(sys.argv[2], "wb").write(head + body)
    net.load_state_dict({k: torch.tensor(v) for k, v in w.items()})
    with torch.no_grad():
        p = torch.sigmoid(net(torch.tensor(features(golden() / np.float32(32768)))[None])[0]).numpy()
    open(sys.argv[3], "w").write("".join(f"{v:.6f}\n" for v in p))
    print(sys.argv[2], len(head + body), "bytes;", len(p), "golden values from", p.min(), "to", p.max())


if __name__ == "__main__":
    main()
