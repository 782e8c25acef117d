"""Scores detectors on a labelled set: score.py SET NAME=FOLDER:SAMPLES...

FOLDER holds FILE.f32, a probability for every SAMPLES samples; a probability
counts for the samples it was computed from. One threshold serves all files.
"""
import glob
import os
import sys

import numpy as np


def auc(p, y):
    order = np.argsort(p, kind="stable")
    values, first, count = np.unique(p[order], return_index=True, return_counts=True)
    rank = np.repeat(first + (count + 1) / 2, count)
    yy = y[order] > 0
    n, m = yy.sum(), (~yy).sum()
    return (rank[yy].sum() - n * (n + 1) / 2) / (n * m)


def at_five(p, y):
    t = np.quantile(p[y == 0], 0.95)
    return (p[y > 0] > t).mean(), t


def main():
    groups = {}
    for f in sorted(glob.glob(sys.argv[1] + "/*.lab")):
        groups.setdefault(os.path.basename(f).rsplit("-", 1)[0], []).append(f)
    for spec in sys.argv[2:]:
        name, rest = spec.split("=")
        folder, samples = rest.split(":")
        every = {}
        for g, files in groups.items():
            ps, ys = [], []
            for f in files:
                y = np.fromfile(f, np.uint8)
                p = np.fromfile(f"{folder}/{os.path.basename(f)[:-4]}.raw.f32", "<f4")
                at = np.minimum((np.arange(len(y)) * 160 + 80) // int(samples), len(p) - 1)
                ps.append(p[at])
                ys.append(y)
            every[g] = (np.concatenate(ps), np.concatenate(ys))
        real = [g for g in every if not g.startswith("k_")]
        for title, some in (("KITCHEN", [g for g in every if g.startswith("k_")]), ("REAL", real)):
            if some:
                every[title] = tuple(np.concatenate([every[g][i] for g in some]) for i in (0, 1))
        print(f"{name:12s} " + " ".join(f"{g}: {auc(p, y):.3f}/{100 * at_five(p, y)[0]:.0f}@{at_five(p, y)[1]:.2f}"
                                        f"[{100 * (p[y > 0] > 0.5).mean():.0f},{100 * (p[y == 0] > 0.5).mean():.1f}]" for g, (p, y) in every.items()))


if __name__ == "__main__":
    main()
