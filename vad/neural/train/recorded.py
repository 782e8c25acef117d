"""Makes the bank of recorded noise: recorded.py OUT.npz ROOT PEOPLE.npz SEED TIMES. As noises.py.

A sound in which Silero hears a person for more than a moment is left out.
"""
import sys

import numpy as np

from noises import Crowd, unit
from sources import DRUMS, EFFECTS, MUSIC, RATE, sounds
from teacher import Teacher

SECONDS = 30
N = SECONDS * RATE


def silent(teacher, clips, allowed):
    """The clips with at most allowed of the time rated above a half."""
    loud = [0.05 * unit(x) for x in clips]
    return [x for x, p in zip(clips, teacher.each(loud)) if (p > 127).mean() <= allowed]


def pieces(clips, rng, count):
    """Beds of short sounds, one after the other or into each other, at unlike levels; sometimes one comes again and again."""
    for _ in range(count):
        x = np.zeros(N, np.float32)
        some = [clips[i] for i in rng.integers(len(clips), size=rng.integers(1, 12))]
        gap, at = rng.uniform(-0.3, 0.8), 0
        while at < N:
            v = some[rng.integers(len(some))][:N - at]
            x[at:at + len(v)] += unit(v) * 10 ** (rng.uniform(-9, 3) / 20)
            at += max(800, len(v) + int((gap + rng.exponential(0.2)) * RATE))
        yield x


def main():
    out, root, people, seed, times = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
    rng, teacher = np.random.default_rng(seed), Teacher()
    bank, names = [], []

    def add(kind, x):
        bank.append((np.clip(unit(x) / 16, -1, 1) * 32767).astype(np.int16))
        names.append(kind)

    for package in MUSIC:
        long = [x for x in sounds(root, package, rng, 9 * times, longest=SECONDS, start=20, smallest=300000) if len(x) == N and np.any(x)]
        good = silent(teacher, long, 0.15)
        for x in good:
            add("recorded music", x)
        print(package, len(long), "pieces,", len(good), "without a voice", flush=True)
    for kind, packages, count in (("recorded effects", EFFECTS, 4), ("recorded drums", DRUMS, 12)):
        for package in packages:
            clips = [x for x in sounds(root, package, rng, 60 * times, longest=6) if len(x) > 800 and np.sqrt(np.mean(x ** 2)) > 1e-4]
            clips = silent(teacher, clips, 0.05)
            for x in pieces(clips, rng, min(count * times, len(clips))):
                add(kind, x)
            print(package, len(clips), "sounds without a voice", flush=True)
    crowd = Crowd(dict(np.load(people)))
    for _ in range(30 * times):
        add("babble", crowd(N, rng))
    np.savez(out, sound=np.stack(bank), name=np.array(names))
    print(out, len(bank), "noises")


if __name__ == "__main__":
    main()
