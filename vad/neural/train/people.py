"""Makes the bank of recorded speech: people.py OUT.npz ROOT SEED TIMES.

As voices.py, with one thing more: soft, what Silero makes of the dry clip, 0 to 255 for each 10 ms.
"""
import sys

import numpy as np

from sources import PEOPLE, sounds
from teacher import Teacher
from voices import HOP

MOST = 500  # clips of a package, TIMES so many in all; of the richest more
RICH = {"tuxpaint-stamps-default": 1600, "fillets-ng-data-cs": 1000, "beneath-a-steel-sky": 1000, "drascula": 700}


def marks(x):
    """Speech per hop by energy, or None where noise of the recording hides it."""
    e = 10 * np.log10(np.mean(x.reshape(-1, HOP) ** 2, 1) + 1e-10)
    top, low = np.percentile(e, 95), np.percentile(e, 5)
    if top < -55 or (low > top - 28 and len(e) > 150):
        return None
    s = e > max(top - 38, min(low + 9, top - 22))
    edge = np.flatnonzero(np.diff(np.r_[1, s.astype(int), 1]))
    for b, c in zip(edge[::2], edge[1::2]):
        if c - b <= 10:
            s[b:c] = True
    return s


def main():
    out, root, seed, times = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rng, teacher = np.random.default_rng(seed), Teacher()
    sound, label, softs, names = [], [], [], []
    for package, pattern in PEOPLE.items():
        clips = []
        for x in sounds(root, package, rng, times * RICH.get(package, MOST), pattern):
            x = x[:len(x) // HOP * HOP]
            if len(x) < 30 * HOP:
                continue
            s = marks(x)
            if s is None or s.sum() < 15:
                continue
            first, last = np.flatnonzero(s)[[0, -1]]
            first, last = max(0, first - 10), min(len(s) - 1, last + 20)
            x, s = x[first * HOP:(last + 1) * HOP], s[first:last + 1]
            x = np.clip(x * (0.05 / np.sqrt(np.mean(x.reshape(-1, HOP)[s] ** 2) + 1e-12)), -1, 1)
            clips.append((x, s))
        heard = teacher.each([c[0] for c in clips])
        good = [i for i, (x, s) in enumerate(clips) if (heard[i][s] > 127).mean() > 0.6]
        for i in good:
            x, s = clips[i]
            sound.append((x * 32767).astype(np.int16))
            label.append(s)
            softs.append(heard[i])
            names.append(package)
        print(package, len(clips), "clips,", len(good), "of people,", sum(len(clips[i][1]) for i in good) // 100, "s", flush=True)
    np.savez(out, sound=np.concatenate(sound), mark=np.concatenate(label), soft=np.concatenate(softs),
             length=np.array([len(s) for s in label]), name=np.array(names))
    print(out, len(sound), "clips", sum(len(s) for s in label) // 100, "s")


if __name__ == "__main__":
    main()
