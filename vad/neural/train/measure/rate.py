"""Rates every file of a set: rate.py SET OUT NET.pt|WEIGHTS.bin|silero."""
import glob
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import weights  # noqa: E402
from features import features  # noqa: E402


class Net(torch.nn.Module):
    """As train.Net, of any width."""

    def __init__(self, hidden, inputs):
        super().__init__()
        self.dense, self.gru, self.out = torch.nn.Linear(inputs, hidden), torch.nn.GRU(hidden, hidden, 2, batch_first=True), torch.nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.gru(torch.tanh(self.dense(x)))[0])[..., 0]


def network(name):
    state = weights.read(name) if name.endswith(".bin") else torch.load(name)["weights"]
    net = Net(*state["dense.weight"].shape)
    net.load_state_dict(state)
    return net


def silero(files, out):
    from teacher import Teacher
    x = np.stack([np.fromfile(f, "<i2").astype(np.float32) / 32768 for f in files])
    for f, p in zip(files, Teacher().rate(x, hops=False)):
        p.astype("<f4").tofile(f"{out}/{os.path.basename(f)}.f32")


def main():
    torch.set_num_threads(1)
    folder, out, name = sys.argv[1:]
    files = sorted(glob.glob(folder + "/*.raw"))
    os.makedirs(out, exist_ok=True)
    if name == "silero":
        silero(files, out)
        return
    net, cache = network(name), folder + "/features"
    os.makedirs(cache, exist_ok=True)
    for f in files:
        kept = f"{cache}/{os.path.basename(f)}.npy"
        if not os.path.exists(kept):
            np.save(kept, features(np.fromfile(f, "<i2").astype(np.float32) / 32768))
        with torch.no_grad():
            p = torch.sigmoid(net(torch.tensor(np.load(kept))[None])[0]).numpy()
        p.astype("<f4").tofile(f"{out}/{os.path.basename(f)}.f32")


if __name__ == "__main__":
    main()
