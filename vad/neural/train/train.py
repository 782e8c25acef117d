"""Trains the network: train.py OUT.pt STEPS SEED RATE LABEL,DRY,HEARD FROM.bin|FROM.pt SHARD.npz...

What is learnt is mixed of the labels, which go by energy, and Silero's opinion of the dry speech and of the scene.
It begins with the weights of FROM, which may be narrower, and learns at RATE, which falls to nothing along a cosine.
Shards that appear while it runs are used from then on when a pattern such as 'shard*.npz' is given in quotes.
"""
import glob
import sys
import time

import numpy as np
import torch

import weights
from features import INPUTS
from recurrent import WIDTH, Recurrent

UNSURE = 255


class Net(torch.nn.Module):
    def __init__(self, hidden=WIDTH):
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


def widened(old, hidden, new):
    """The state of a network of new units whose first ones do what a narrower network's do; they hardly hear the others."""
    for name, w in new.items():
        v = old[name]
        if w.shape == v.shape:
            new[name] = v
            continue
        gates = 3 if name.startswith("gru") else 1  # r, z and n each grow
        out, wide = (1, 1) if name.startswith("out") else (v.shape[0] // gates, w.shape[0] // gates)
        for g in range(gates):
            at = slice(g * wide, g * wide + out)
            if w.dim() == 2:
                w[at] *= 0.1
                w[at, :v.shape[1]] = v[g * out:(g + 1) * out]
            else:
                w[at] = v[g * out:(g + 1) * out]
    return new


def earlier(opinion):
    """Silero's, a step sooner: it judges 32 ms at once and takes a moment to make up its mind."""
    return torch.cat([opinion[:, 1:], opinion[:, -1:]], 1) / 255


def loss(net, mix, x, y, dry, heard):
    o = net(x)
    unsure = y == UNSURE
    target = torch.where(unsure, torch.ones_like(y), y / 2) * mix[0] + earlier(dry) * mix[1] + earlier(heard) * mix[2]
    weight = torch.where(unsure, torch.full_like(y, 0.25), torch.ones_like(y))
    weight[:, :3] *= 0.3
    l = torch.nn.functional.binary_cross_entropy_with_logits(o, target, reduction="none")
    return (l * weight).sum() / weight.sum()


def floats(arrays):
    return [torch.tensor(a.astype(np.float32)) for a in arrays]


def main():
    out, steps, seed, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    mix = [float(v) for v in sys.argv[5].split(",")]
    start, patterns = sys.argv[6], sys.argv[7:]
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net()
    old = torch.load(start)["weights"] if start.endswith(".pt") else weights.read(start)
    net.load_state_dict(widened(old, WIDTH, net.state_dict()))
    mean = {k: v.clone() for k, v in net.state_dict().items()}
    print("parameters", sum(p.numel() for p in net.parameters()))
    opt = torch.optim.AdamW(net.parameters(), rate, weight_decay=0.01)
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
                    shard = [z[k] for k in ("x", "y", "dry", "heard")]
                    if held is None:
                        held = floats(shard)
                    else:
                        shards.append(shard)
        part = step / steps
        if step >= steps:
            break
        for g in opt.param_groups:
            g["lr"] = rate * min(1, (step + 1) / 100) * (0.5 + 0.5 * np.cos(np.pi * part)) + 1e-5
        parts = []
        for s in rng.integers(0, len(shards), 8):
            i = rng.integers(0, len(shards[s][0]), batch // 8)
            o = 0 if rng.random() < 0.5 else int(rng.integers(0, shards[s][0].shape[1] - length + 1))
            parts.append([a[i, o:o + length] for a in shards[s]])
        l = loss(net, mix, *floats(np.concatenate(p) for p in zip(*parts)))
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
            test = Net()
            test.load_state_dict(mean)
            with torch.no_grad():
                v = float(loss(test, mix, *held))
            print(f"{step} {100 * part:.0f}% train {np.mean(recent):.4f} held {v:.4f} shards {len(shards)} {time.time() - begun:.0f} s", flush=True)
            recent = []
            torch.save({"hidden": WIDTH, "weights": mean, "step": step}, out)
    torch.save({"hidden": WIDTH, "weights": mean, "step": step}, out)


if __name__ == "__main__":
    main()
