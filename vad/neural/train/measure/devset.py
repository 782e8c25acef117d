"""Builds the development set of human recordings: devset.py ROOT OUT SEED.

ROOT holds unpacked Debian packages (fetch.sh). None of this is used in
training, and none of it is in the repository. Each file OUT/CONDITION-NN.raw is
20 s of int16 at 16 kHz with OUT/CONDITION-NN.lab, a byte per 10 ms: 0 or 1.
Labels are the energy of the recording as it was, before anything was added.
"""
import glob
import os
import subprocess
import sys

import numpy as np
from scipy import signal

RATE, HOP, SECONDS = 16000, 160, 20
N = RATE * SECONDS


def decode(path, start=None, take=None):
    c = ["ffmpeg", "-v", "quiet"] + (["-ss", str(start)] if start else [])
    if path.endswith(".raw"):
        c += ["-f", "s16le", "-ar", "8000", "-ac", "1"]
    c += ["-i", path] + (["-t", str(take)] if take else []) + ["-f", "s16le", "-ar", str(RATE), "-ac", "1", "-"]
    return np.frombuffer(subprocess.run(c, capture_output=True).stdout, "<i2").astype(np.float32) / 32768


def some(rng, pattern, count):
    found = sorted(glob.glob(pattern, recursive=True))
    rng.shuffle(found)
    return found[:count]


def label(x):
    """Speech per hop, or None where noise of the recording hides it."""
    e = 10 * np.log10(np.mean(x.reshape(-1, HOP) ** 2, 1) + 1e-10)
    top, low = np.percentile(e, 95), np.percentile(e, 5)
    if top < -50:
        return None
    if low > top - 30 and len(e) > 120:
        return None
    s = e > max(top - 35, min(low + 9, top - 22))
    edge = np.flatnonzero(np.diff(np.r_[1, s.astype(int), 1]))
    for b, c in zip(edge[::2], edge[1::2]):
        if c - b <= 7:
            s[b:c] = True
    return s.astype(np.uint8)


def speech(rng, patterns, count, shortest):
    clips = []
    for p in patterns:
        group = []
        for f in some(rng, p, count * 2):
            x = decode(f, take=12)
            x = x[:len(x) // HOP * HOP]
            if len(x) < shortest * RATE:
                continue
            s = label(x)
            if s is not None and s.sum() > 15:
                a = np.sqrt(np.mean(x.reshape(-1, HOP)[s > 0] ** 2))
                group.append((x * (0.05 / a), s))
            if len(group) >= count:
                break
        print(p[-60:], len(group), flush=True)
        if len(group) >= 4:
            clips.append(group)
    return clips


def sequence(rng, groups, gap):
    g = groups[rng.integers(len(groups))]
    x, y = np.zeros(N, np.float32), np.zeros(N // HOP, np.uint8)
    at = int(rng.uniform(0, 80))
    while at < len(y):
        c, s = g[rng.integers(len(g))]
        k = min(len(s), len(y) - at)
        v = 10 ** (rng.uniform(-4, 4) / 20)
        x[at * HOP:(at + k) * HOP] = c[:k * HOP] * v
        y[at:at + k] = s[:k]
        at += k + int(rng.uniform(0.1, gap) * 100)
    return x, y


def image_room(rng):
    """Image sources of a shoebox (Allen and Berkley 1979); another way than training's."""
    size = rng.uniform([3, 2.5, 2.3], [7, 5, 3])
    src, mic = rng.uniform(0.4, size - 0.4), rng.uniform(0.4, size - 0.4)
    absorb = rng.uniform(0.12, 0.5)
    h = np.zeros(int(0.5 * RATE))
    r = 9
    for ix in range(-r, r + 1):
        for iy in range(-r, r + 1):
            for iz in range(-r, r + 1):
                i = np.array([ix, iy, iz])
                p = np.where(i % 2 == 0, i * size + src, (i + 1) * size - src)
                d = np.linalg.norm(p - mic)
                k = int(d / 343 * RATE)
                if k < len(h):
                    h[k] += (1 - absorb) ** (np.abs(i).sum() / 2) / max(d, 0.3) * (1 if rng.random() < .5 else -1 if np.abs(i).sum() else 1)
    first = np.flatnonzero(h)[0]
    return (h[first:] / np.abs(h[first])).astype(np.float32)


def noises(rng, root):
    """Real ones: music of games and switchboards, effects, drums, ambiences."""
    kinds = {}

    def add(kind, files, long):
        for f in files:
            x = decode(f, start=5 if long else None, take=60 if long else 20)
            if len(x) < 800 or np.sqrt(np.mean(x ** 2)) < 1e-4:
                continue
            kinds.setdefault(kind, []).append(x / np.sqrt(np.mean(x ** 2)))

    add("music", some(rng, root + "/asterisk-moh*/**/*.g722", 5) + some(rng, root + "/fillets-ng-data/**/music/*.ogg", 15)
        + some(rng, root + "/frozen-bubble-data/**/*.ogg", 4), True)
    add("effects", some(rng, root + "/hedgewars-data/**/Data/Sounds/*.ogg", 60) + some(rng, root + "/fillets-ng-data/**/sound/share/*.ogg", 12)
        + some(rng, root + "/frozen-bubble-data/**/snd/*.ogg", 20) + some(rng, root + "/pingus-data/**/*.wav", 11)
        + some(rng, root + "/sound-theme-freedesktop/**/*.oga", 27) + some(rng, root + "/oxygen-sounds/**/*.ogg", 40), False)
    add("drums", some(rng, root + "/sonic-pi-samples/**/samples/[bdetmpgl]*.flac", 120), False)
    add("ambience", some(rng, root + "/sonic-pi-samples/**/samples/ambi*.flac", 20) + some(rng, root + "/sonic-pi-samples/**/samples/vinyl*.flac", 6), False)
    for k, v in kinds.items():
        print("noise", k, len(v), sum(map(len, v)) // RATE, "s")
    return kinds


def bed(rng, kinds, kind):
    x = np.zeros(N, np.float32)
    if kind == "music":
        v = kinds[kind][rng.integers(len(kinds[kind]))]
        o = int(rng.integers(0, max(1, len(v) - N)))
        v = np.resize(v[o:], N)
        return v / np.sqrt(np.mean(v ** 2) + 1e-9)
    at = 0
    while at < N:
        v = kinds[kind][rng.integers(len(kinds[kind]))]
        k = min(len(v), N - at)
        x[at:at + k] += v[:k] * 10 ** (rng.uniform(-6, 3) / 20)
        at += k + int(rng.exponential(0.25) * RATE)
    return x / np.sqrt(np.mean(x ** 2) + 1e-9)


def babble(rng, groups):
    """Eight people who never pause, at about the same level."""
    x = np.zeros(N, np.float32)
    for _ in range(8):
        g, at, v = groups[rng.integers(len(groups))], 0, rng.uniform(0.6, 1.2)
        while at < N:
            c, s = g[rng.integers(len(g))]
            c = c[np.repeat(s, HOP) > 0]
            k = min(len(c), N - at)
            x[at:at + k] += c[:k] * v
            at += k
    return x / np.sqrt(np.mean(x ** 2))


def tap(rng):
    """A shaped hiss whose level and colour waver: water, hood, fan."""
    z = np.fft.rfft(rng.standard_normal(N))
    f = np.fft.rfftfreq(N, 1 / RATE)
    c, w = np.exp(rng.uniform(np.log(200), np.log(3000))), rng.uniform(0.5, 2)
    x = np.fft.irfft(z * np.exp(-np.log2(np.maximum(f, 20) / c) ** 2 / (2 * w ** 2)))
    return x / np.sqrt(np.mean(x ** 2))


def save(out, name, x, y):
    np.clip(np.round(x * 32768), -32768, 32767).astype("<i2").tofile(f"{out}/{name}.raw")
    y.tofile(f"{out}/{name}.lab")


def main():
    root, out, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
    rng = np.random.default_rng(seed)
    os.makedirs(out, exist_ok=True)
    studio = speech(rng, [root + f"/asterisk-{p}/**/*.{e}" for p, e in (
        ("core-sounds-it-g722", "g722"), ("core-sounds-ru-g722", "g722"), ("prompt-it-menardi-wav", "wav"))], 40, 1.5)
    actors = speech(rng, [root + f"/fillets-ng-data-nl/**/sound/{d}*/nl/*.ogg" for d in "bcdegklmpstw"], 25, 1.0)
    amateurs = speech(rng, [root + f"/ktuberling-data/**/sounds/{l}/*" for l in ("fr", "ca", "uk", "nn", "lt", "da", "ru", "en", "de", "sl", "el", "wa")]
                      + [root + f"/klettres-data/**/{l}/syllab/*.ogg" for l in ("es", "it", "hu", "uk", "ru", "lt")], 25, 0.5)
    pitched = speech(rng, [root + f"/hedgewars-data/**/voices/{v}/*.ogg" for v in ("Default", "British", "Russian", "Pirate", "Mobster", "Surfer")]
                     + [root + "/codec2-examples/**/codec2/wav/*.wav", root + "/codec2-examples/**/codec2/raw/*.raw"], 40, 0.6)
    rooms = [image_room(rng) for _ in range(12)]
    kinds = noises(rng, root)
    every = studio + actors
    gain = lambda: 10 ** (rng.uniform(-22, 6) / 20)
    floor = lambda db: 0.05 * 10 ** (-db / 20) * rng.standard_normal(N)
    for name, groups, count, gap in (("studio", studio, 20, 1.2), ("actors", actors, 20, 1.0), ("amateurs", amateurs, 30, 1.0), ("pitched", pitched, 20, 1.0)):
        for i in range(count):
            x, y = sequence(rng, groups, gap)
            save(out, f"{name}-{i:02d}", (x + floor(rng.uniform(35, 60))) * gain(), y)
    for kind in ("music", "effects", "drums", "ambience", "babble", "tap"):
        for i in range(24):
            x, y = sequence(rng, every, 2.0)
            if i % 6 == 5:
                x, y = x * 0, y * 0
            if i % 2:
                x = signal.fftconvolve(x, rooms[rng.integers(len(rooms))])[:N]
                if y.any():
                    x *= 0.05 / np.sqrt(np.mean(x.reshape(-1, HOP)[y > 0] ** 2))
            b = babble(rng, amateurs + actors) if kind == "babble" else tap(rng) if kind == "tap" else bed(rng, kinds, kind)
            snr = (20, 10, 5, 0)[i % 4]
            save(out, f"k_{kind}-{i:02d}", (x + b * 0.05 * 10 ** (-snr / 20) + floor(55)) * gain(), y)


if __name__ == "__main__":
    main()
