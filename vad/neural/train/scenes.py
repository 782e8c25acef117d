"""Puts people in rooms before microphones and writes features and labels:
scenes.py OUT_PREFIX SHARDS SEED SPEECH.npz... -- NOISE.npz...

A shard is SCENES scenes of SECONDS s: x float16 [SCENES, steps, INPUTS], and of uint8 [SCENES, steps]
y: how much of the step is speech, 0 to 2 hops, or UNSURE;
dry, heard: what Silero makes of the speech before anything was added, and of the scene, 0 to 255.
"""
import os
import sys

import numpy as np
import scipy.fft
from scipy import signal

from features import HOP, INPUTS, RATE, features
from teacher import Teacher
from vocal import curve

SCENES, SECONDS = 128, 8
N = SECONDS * RATE
UNSURE = 255  # speech that the noise covers

# How often a kind of noise is heard; the others have 1.
SHARE = {"recorded music": 22, "recorded effects": 16, "recorded drums": 8, "babble": 10, "orchestra": 3, "clatter": 3, "water": 3,
         "rotor": 2}
# The least ratio to speech in dB; the others have -7.
LEAST = {"babble": 0, "recorded music": -5, "orchestra": -4}


def decay(rng):
    """A room: direct sound, early reflections, a tail that loses treble first."""
    rt = np.exp(rng.uniform(np.log(0.08), np.log(1.0)))
    n = int(rt * RATE)
    t = np.arange(n) / RATE
    tail = np.zeros(n)
    for low, high, factor in ((60, 700, 1.15), (700, 2500, 1.0), (2500, 7800, rng.uniform(0.4, 0.9))):
        sos = signal.butter(1, [low / 8000, high / 8000], "band", output="sos")
        tail += signal.sosfilt(sos, rng.standard_normal(n)) * np.exp(-6.9 * t / (rt * factor))
    start = int(rng.uniform(0.002, 0.02) * RATE)
    tail[:start] = 0
    tail *= 10 ** (-rng.uniform(-4, 14) / 20) / (np.sqrt(np.sum(tail ** 2)) + 1e-9)
    tail[0] += 1
    for _ in range(rng.integers(2, 12)):
        at = int(rng.uniform(0.0008, 0.04) * RATE)
        if at < n:
            tail[at] += rng.uniform(-0.5, 0.5) * np.exp(-at / RATE / 0.03)
    return tail.astype(np.float32)


class Bank:
    def __init__(self, speech, noise, rng):
        groups = {}
        for name in speech:
            z = np.load(name)
            sound, mark, length = z["sound"], z["mark"], z["length"]
            soft = z["soft"] if "soft" in z else mark * np.uint8(255)
            who = z["name"] if "soft" in z else ["made"] * len(length)
            at = 0
            for k, w in zip(length, who):
                groups.setdefault(w, []).append((sound[at * HOP:(at + k) * HOP], mark[at:at + k], soft[at:at + k]))
                at += k
        self.groups = list(groups.values())
        self.often = np.sqrt([sum(len(c[1]) for c in g) for g in self.groups])
        self.often /= self.often.sum()
        self.noise, self.kind = [], []
        for name in noise:
            z = np.load(name)
            self.noise += list(z["sound"])
            self.kind += list(z["name"])
        self.by_kind = {k: [i for i, q in enumerate(self.kind) if q == k] for k in sorted(set(self.kind))}
        self.kinds = list(self.by_kind)
        self.weight = np.array([SHARE.get(k, 1) for k in self.kinds], float)
        self.weight /= self.weight.sum()
        self.rooms = [decay(rng) for _ in range(150)]

    def talk(self, rng):
        """Dry speech with its marks and Silero's: from none to dense. A package speaks, now and then two."""
        x, y, dry = np.zeros(N, np.float32), np.zeros(N // HOP, np.uint8), np.zeros(N // HOP, np.uint8)
        style = rng.random()
        if style < 0.2:
            return x, y, dry
        gap = 0.12 if style < 0.35 else 0.5 if style < 0.7 else 1.6
        at = 0 if rng.random() < 0.2 else int(rng.exponential(gap * 100))
        clips = [c for g in rng.choice(len(self.groups), 2, p=self.often)[:1 + (rng.random() < 0.3)] for c in self.groups[g]]
        one = rng.integers(len(clips))  # comes again
        first = True
        while at < len(y) - 10:
            sound, mark, soft = clips[rng.integers(len(clips)) if rng.random() < 0.8 else one]
            skip = int(rng.integers(0, len(mark) // 2)) if first and at == 0 else 0
            first = False
            k = min(len(mark) - skip, len(y) - at, int(rng.uniform(30, 700)))
            g = 10 ** (rng.uniform(-7, 4) / 20) / 32768
            x[at * HOP:(at + k) * HOP] += sound[skip * HOP:(skip + k) * HOP] * g
            y[at:at + k] |= mark[skip:skip + k]
            dry[at:at + k] = np.maximum(dry[at:at + k], soft[skip:skip + k])
            at += k + int(rng.exponential(gap * 100)) + 3
        return x, y, dry

    def breaths(self, x, y, rng):
        """Breathing in, smacking, before speech and in its pauses."""
        edge = np.flatnonzero(np.diff(np.r_[0, y]) == 1)
        for e in edge:
            if rng.random() < 0.5:
                d = int(rng.uniform(0.1, 0.5) * RATE)
                at = e * HOP - d - int(rng.uniform(0, 0.1) * RATE)
                if at > 0:
                    z = signal.lfilter(*signal.butter(1, [rng.uniform(300, 1500) / 8000, rng.uniform(3000, 7500) / 8000], "band"), rng.standard_normal(d))
                    x[at:at + d] += (z * np.hanning(d) ** rng.uniform(0.4, 1.5) * 0.05 * 10 ** (-rng.uniform(14, 38) / 20)).astype(np.float32)
                if rng.random() < 0.4:
                    at = e * HOP - int(rng.uniform(0.005, 0.15) * RATE)
                    if at > 200:
                        k = int(rng.uniform(20, 160))
                        x[at:at + k] += (rng.standard_normal(k) * np.exp(-np.arange(k) / k * 4) * 0.05 * 10 ** (-rng.uniform(5, 25) / 20)).astype(np.float32)

    def ambience(self, rng):
        """None to three noises; speech, where there is some, has an RMS of 0.05."""
        z = np.zeros(N, np.float32)
        u = rng.random()
        count = 0 if u < 0.1 else 1 if u < 0.7 else 2 if u < 0.93 else 3
        for _ in range(count):
            k = self.kinds[rng.choice(len(self.kinds), p=self.weight)]
            b = self.noise[self.by_kind[k][rng.integers(len(self.by_kind[k]))]]
            warp = rng.uniform(0.75, 1.33) if rng.random() < 0.5 and k != "babble" else 1
            m = int(N * warp) + 2
            o = int(rng.integers(0, len(b) - m))
            v = b[o:o + m].astype(np.float32) * (16 / 32767)
            if warp != 1:
                v = np.interp(np.arange(N) * warp, np.arange(m), v).astype(np.float32)
            v = v[:N]
            if rng.random() < 0.35:
                v = self.through(v, rng)
            if rng.random() < 0.3:
                v = v * 10 ** (curve(N, rng, int(rng.uniform(8000, 60000)), -14, 4) / 20)
            if rng.random() < 0.15:  # it begins or ends suddenly
                c = int(rng.integers(N))
                v[:c] *= 0.01 if rng.random() < 0.5 else 1
                v[c:] *= 0.01 if rng.random() < 0.5 else 1
            low = LEAST.get(k, -7)
            if rng.random() < 0.5:
                snr = rng.uniform(low, 12)
            else:
                snr = rng.uniform(8, 35)
            z += v * np.float32(0.05 * 10 ** (-snr / 20))
        return z

    def through(self, x, rng):
        h = self.rooms[rng.integers(len(self.rooms))]
        m = scipy.fft.next_fast_len(N + len(h))
        return scipy.fft.irfft(scipy.fft.rfft(x, m) * scipy.fft.rfft(h, m), m)[:N].astype(np.float32)


def colour(x, rng):
    """The microphone's own response: a smooth random curve, and its ends."""
    z = scipy.fft.rfft(x)
    f = np.fft.rfftfreq(N, 1 / RATE)
    knots = np.log([40, 150, 400, 1000, 2500, 5000, 8000])
    db = np.interp(np.log(np.maximum(f, 40)), knots, rng.normal(0, rng.uniform(0, 6), len(knots)))
    u = rng.random()
    if u < 0.12:  # telephone
        db -= 3 * np.maximum(0, (np.log2(np.maximum(f, 1) / 3400)) * 40) + np.maximum(0, np.log2(250 / np.maximum(f, 1))) * 18
    elif u < 0.4:  # band-limited: 2.5 to 8 kHz
        db -= np.maximum(0, np.log2(np.maximum(f, 1) / rng.uniform(2500, 7500))) * rng.uniform(12, 150)
    if rng.random() < 0.5:
        db -= np.maximum(0, np.log2(rng.uniform(60, 350) / np.maximum(f, 1))) * rng.choice([6, 12, 24])
    return scipy.fft.irfft(z * (10 ** (np.maximum(db, -120) / 20)).astype(np.float32), N).astype(np.float32)


def pump(x, rng):
    """Automatic gain of a recorder: loud is turned down at once, quiet up slowly."""
    step = 80
    e = np.sqrt(np.mean(x.reshape(-1, step) ** 2, 1)) + 1e-6
    up, down = np.exp(-step / RATE / rng.uniform(0.1, 2)), np.exp(-step / RATE / rng.uniform(0.002, 0.03))
    g, out = e[0], np.empty_like(e)
    for i, v in enumerate(e):
        c = down if v > g else up
        g = c * g + (1 - c) * v
        out[i] = g
    gain = (0.05 / np.maximum(out, rng.uniform(0.0005, 0.01))) ** rng.uniform(0.3, 0.95)
    return x * np.repeat(gain, step).astype(np.float32)


def codec(x, rng):
    """What low-rate coders do: weak lines of each band vanish, the rest is coarse."""
    f, t, z = signal.stft(x, nperseg=512, noverlap=256)
    m = np.abs(z)
    b = np.pad(m, ((0, 15), (0, 0)))[:272].reshape(17, 16, -1).max(1)
    keep = m > np.repeat(b, 16, 0)[:257] * rng.uniform(0.03, 0.3)
    keep &= m > m.max() * 10 ** (-rng.uniform(50, 85) / 20)
    q = rng.uniform(0.05, 0.35)
    z = z * keep * np.exp(np.clip(rng.standard_normal(m.shape), -2, 2) * q)
    return signal.istft(z, nperseg=512, noverlap=256)[1][:N].astype(np.float32)


def denoise(x, rng):
    """Spectral subtraction, as in calls: a floor that is cut, with musical noise."""
    f, t, z = signal.stft(x, nperseg=320, noverlap=160)
    m = np.abs(z)
    n = np.percentile(m, rng.uniform(10, 40), axis=1, keepdims=True)
    g = np.maximum(1 - rng.uniform(1, 2.5) * n / (m + 1e-9), 10 ** (-rng.uniform(8, 40) / 20))
    return signal.istft(z * g, nperseg=320, noverlap=160)[1][:N].astype(np.float32)


def scene(bank, rng):
    x, y, dry = bank.talk(rng)
    spoken = y > 0
    if spoken.any():
        bank.breaths(x, y, rng)
        level = np.sqrt(np.mean(x.reshape(-1, HOP)[spoken] ** 2))
        x *= 0.05 / level
        if rng.random() < 0.55:
            x = bank.through(x, rng)
            x *= 0.05 / (np.sqrt(np.mean(x.reshape(-1, HOP)[spoken] ** 2)) + 1e-9)
    z = bank.ambience(rng)
    # A gap of digital silence between recordings, or noise that is gated.
    if rng.random() < 0.06 and spoken.any():
        open_ = np.repeat(np.convolve(spoken, np.ones(15), "same") > 0, HOP)
        z = z * open_
    ref = np.mean(x.reshape(-1, HOP) ** 2, 1)
    cover = np.mean(z.reshape(-1, HOP) ** 2, 1)
    under = spoken & (ref < cover * 10 ** -1.2)
    w = x + z
    if rng.random() < 0.85:
        w = colour(w, rng)
    u = rng.random()
    if u < 0.10:
        w = pump(w, rng)
    elif u < 0.17:
        w = denoise(w, rng)
    if rng.random() < 0.18:
        w = codec(w, rng)
    if rng.random() < 0.08:
        w = w * 10 ** (rng.uniform(6, 24) / 20)
        w = np.tanh(w) if rng.random() < 0.5 else np.clip(w, -rng.uniform(0.3, 1), 1)
    gain = 10 ** (rng.uniform(-30, 14) / 20)
    w = w * gain
    hiss = 10 ** (-rng.uniform(60, 95) / 20) if rng.random() < 0.9 else 0
    w = w + hiss * rng.standard_normal(N).astype(np.float32)
    if rng.random() < 0.1:
        w = w + rng.uniform(-0.02, 0.02)
    if rng.random() < 0.15:
        t = np.arange(N) / RATE
        m = rng.choice([50, 60])
        w = w + 10 ** (-rng.uniform(40, 75) / 20) * sum(rng.uniform(0, 1) * np.sin(2 * np.pi * m * k * t + k) for k in range(1, 8))
    if rng.random() < 0.06:  # the stream starts with zeros
        w[:int(rng.uniform(0, 2) * RATE)] = 0
        k = np.flatnonzero(w)
        if len(k):
            y[:k[0] // HOP] = dry[:k[0] // HOP] = 0
            under[:k[0] // HOP] = False
    w = np.clip(np.round(w * 32768), -32768, 32767).astype(np.float32) / 32768
    lab = y.reshape(-1, 2).sum(1).astype(np.uint8)
    lab[under.reshape(-1, 2).any(1)] = UNSURE
    return w, lab, dry.reshape(-1, 2).mean(1).astype(np.uint8)


def main():
    out, shards, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    cut = sys.argv.index("--")
    bank, teacher = Bank(sys.argv[4:cut], sys.argv[cut + 1:], np.random.default_rng(seed)), Teacher()
    for s in range(shards):
        if os.path.exists(f"{out}{s:03d}.npz"):
            continue
        rng = np.random.default_rng([seed, s])
        steps = N // HOP // 2
        w, x = np.zeros((SCENES, N), np.float32), np.zeros((SCENES, steps, INPUTS), np.float16)
        y, dry = np.zeros((2, SCENES, steps), np.uint8)
        for i in range(SCENES):
            w[i], y[i], dry[i] = scene(bank, rng)
            x[i] = features(w[i])
        heard = teacher.rate(w).reshape(SCENES, steps, 2).mean(2).astype(np.uint8)
        np.savez(f"{out}{s:03d}.npz.tmp.npz", x=x, y=y, dry=dry, heard=heard)
        os.rename(f"{out}{s:03d}.npz.tmp.npz", f"{out}{s:03d}.npz")
        print(out, s, "speech", (y == 1).mean() / 2 + (y == 2).mean(), "unsure", (y == UNSURE).mean(), flush=True)


if __name__ == "__main__":
    main()
