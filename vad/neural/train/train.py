"""Trains the network: train.py OUT.pt HIDDEN STOP/STEPS SEED FROM.pt|- SHARD.npz...

It stops at step STOP of STEPS. From nothing the rate of learning stays high; from an earlier network it falls to
nothing along a cosine, and so can be as long as there is time.
Shards that appear while it runs are used
from then on when a pattern such as 'shard*.npz' is given in quotes.
"""
import glob
import sys
import time

import numpy as np
import torch

from features import INPUTS
from recurrent import Recurrent

UNSURE = 255


class Net(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.dense = torch.nn.Linear(INPUTS, hidden)
        self.gru = torch.nn.GRU(hidden, hidden, 2, batch_first=True)
        self.out = torch.nn.Linear(hidden, 1)

    def forward(self, x):
        """x [B, steps, INPUTS]; returns logits [B, steps]."""
        y = torch.tanh(self.dense(x.transpose(0, 1)))
        for i in range(2):
            y = Recurrent.apply(y, *(getattr(self.gru, f"{kind}_l{i}") for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))
        return self.out(y)[..., 0].transpose(0, 1)


def loss(net, x, y):
    o = net(x)
    target = torch.where(y == UNSURE, torch.ones_like(y), y / 2)
    weight = torch.where(y == UNSURE, torch.full_like(y, 0.25), torch.ones_like(y))
    weight[:, :3] *= 0.3
    l = torch.nn.functional.binary_cross_entropy_with_logits(o, target, reduction="none")
    return (l * weight).sum() / weight.sum()


def main():
    out, hidden, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[4])
    stop, steps = (int(n) for n in sys.argv[3].split("/"))
    start, patterns = sys.argv[5], sys.argv[6:]
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net(hidden)
    if start != "-":
        net.load_state_dict(torch.load(start)["weights"])
    mean = {k: v.clone() for k, v in net.state_dict().items()}
    print("parameters", sum(p.numel() for p in net.parameters()))
    opt = torch.optim.AdamW(net.parameters(), 3e-3, weight_decay=0.01)
    begun, step, shards, known = time.time(), 0, [], set()
    held = None
    batch, length = 64, 200
    recent = []
    while True:
        if step % 100 == 0:
            for name in sorted(n for p in patterns for n in glob.glob(p)):
                if name not in known:
                    known.add(name)
                    z = np.load(name)
                    if held is None:
                        held = (z["x"], z["y"])
                    else:
                        shards.append((z["x"], z["y"]))
        part = step / steps
        if step >= stop:
            break
        fall = 1 if start == "-" else 0.5 + 0.5 * np.cos(np.pi * part)
        for g in opt.param_groups:
            g["lr"] = 2.5e-3 * min(1, (step + 1) / 200) * fall + 1e-5
        xs, ys = [], []
        for s in rng.integers(0, len(shards), 8):
            x, y = shards[s]
            i = rng.integers(0, len(x), batch // 8)
            o = 0 if rng.random() < 0.5 else int(rng.integers(0, x.shape[1] - length + 1))
            xs.append(x[i, o:o + length])
            ys.append(y[i, o:o + length])
        l = loss(net, torch.tensor(np.concatenate(xs).astype(np.float32)), torch.tensor(np.concatenate(ys).astype(np.float32)))
        opt.zero_grad()
        l.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        step += 1
        recent.append(float(l))
        keep = min(0.999, 1 - 1 / (1 + step / 10))
        for k, v in net.state_dict().items():
            mean[k].mul_(keep).add_(v, alpha=1 - keep)
        if step % 200 == 0:
            test = Net(hidden)
            test.load_state_dict(mean)
            with torch.no_grad():
                v = float(loss(test, torch.tensor(held[0].astype(np.float32)), torch.tensor(held[1].astype(np.float32))))
            print(f"{step} {100 * part:.0f}% train {np.mean(recent):.4f} held {v:.4f} shards {len(shards)} {time.time() - begun:.0f} s", flush=True)
            recent = []
            torch.save({"hidden": hidden, "weights": mean, "step": step}, out)
    torch.save({"hidden": hidden, "weights": mean, "step": step}, out)


if __name__ == "__main__":
    main()
