"""Sounds that machines make to please or warn: pads, sweeps, whooshes, zaps,
bangs, springs, loops. They have what detectors take for a voice: harmonics,
formants that move, and the rhythm of syllables."""
import numpy as np
from scipy import signal

from music import put
from vocal import curve

RATE = 16000


def saws(f, d, rng, count):
    """count detuned saw teeth (or pulses), without what would alias."""
    y = np.zeros(d)
    for _ in range(count):
        ph = np.cumsum(f * 2 ** (rng.normal(0, 0.008))) / RATE + rng.random()
        for k in range(1, int(min(30, 7600 / np.max(f))) + 1):
            y += np.sin(2 * np.pi * k * ph) / k
    return y


def moving(x, rng, low=200, high=5000):
    """A resonance that wanders, in blocks of 10 ms with the state carried on."""
    n = len(x)
    f = np.exp(curve(n // 160 + 1, rng, int(rng.integers(5, 200)), np.log(low), np.log(high)))
    width = rng.uniform(1.5, 8)
    y, zi = np.empty(n), np.zeros(2)
    for i in range(0, n, 160):
        b, a = signal.iirpeak(min(f[i // 160], 7500) / 8000, width)
        y[i:i + 160], zi = signal.lfilter(b, a, x[i:i + 160], zi=zi)
    return y


def level(x):
    return x / (np.sqrt(np.mean(x ** 2)) + 1e-9)


def pads(n, rng):
    """Chords that stand for seconds: synthesisers, organs, choirs of machines."""
    x = np.zeros(n)
    at = 0
    while at < n:
        d = int(rng.uniform(1.0, 6) * RATE)
        root = rng.uniform(60, 330)
        y = np.zeros(d)
        for s in rng.choice([0, 3, 4, 7, 10, 12, 14, 19], rng.integers(1, 5), replace=False):
            vib = 1 + rng.uniform(0, 0.012) * np.sin(2 * np.pi * rng.uniform(3, 7) * np.arange(d) / RATE)
            y += saws(root * 2 ** (s / 12) * vib, d, rng, rng.integers(1, 3))
        y = level(y)
        u = rng.random()
        if u < 0.4:
            y = level(y + 4 * moving(y, rng))
        elif u < 0.7:  # standing formants
            y = level(sum(signal.lfilter(*signal.iirpeak(q / 8000, rng.uniform(3, 9)), y) for q in rng.uniform([250, 700, 2000], [900, 2400, 3600])))
        e = np.minimum(1, np.arange(d) / rng.uniform(50, 0.6 * d)) * np.minimum(1, np.arange(d)[::-1] / rng.uniform(50, 0.6 * d))
        put(x, y * e * (1 + rng.uniform(0, 0.9) * np.sin(2 * np.pi * rng.uniform(0.5, 9) * np.arange(d) / RATE)), at)
        at += d * rng.uniform(0.4, 1.3)
    return x + 10 ** rng.uniform(-3, -1) * rng.standard_normal(n)


def gestures(n, rng):
    """Whooshes, zaps, bangs, springs, boings, sparks, coins, gates."""
    x = 0.002 * rng.standard_normal(n)
    at = rng.uniform(0, 0.5) * RATE
    pace = rng.uniform(0.1, 1.2)
    while at < n:
        d = int(rng.uniform(0.05, 1.2) * RATE)
        t = np.arange(d) / RATE
        kind = rng.integers(7)
        if kind == 0:  # whoosh
            y = moving(rng.standard_normal(d), rng, 150, 6500) * np.hanning(d) ** rng.uniform(0.5, 2)
        elif kind == 1:  # zap
            f = np.exp(np.linspace(np.log(rng.uniform(80, 5000)), np.log(rng.uniform(80, 5000)), d))
            y = np.sign(np.sin(2 * np.pi * np.cumsum(f) / RATE)) if rng.random() < 0.4 else np.sin(2 * np.pi * np.cumsum(f) / RATE)
            y = y * np.exp(-t * rng.uniform(0, 10))
        elif kind == 2:  # bang
            y = np.cumsum(rng.standard_normal(d)) if rng.random() < 0.5 else rng.standard_normal(d)
            b, a = signal.butter(2, rng.uniform(200, 4000) / 8000)
            y = np.tanh(3 * level(signal.lfilter(b, a, y - np.mean(y)))) * np.exp(-t * rng.uniform(3, 25))
        elif kind == 3:  # spring
            f = rng.uniform(90, 600) * (1 + rng.uniform(0.05, 0.5) * np.sin(2 * np.pi * rng.uniform(4, 25) * t) * np.exp(-t * 3))
            y = saws(f, d, rng, 1) * np.exp(-t * rng.uniform(1, 8))
        elif kind == 4:  # resonant burst of pulses: a ratchet, a motor, a croak
            p = np.zeros(d)
            p[np.cumsum(rng.normal(RATE / rng.uniform(15, 160), 8, d // 80 + 1)).astype(int).clip(0, d - 1)] = 1
            y = level(sum(signal.lfilter(*signal.iirpeak(q / 8000, rng.uniform(2, 9)), p) for q in rng.uniform(200, 4500, 3)))
            y = y * np.hanning(d) ** 0.4
        elif kind == 5:  # chime
            y = sum(np.exp(-t * rng.uniform(2, 15)) * np.sin(2 * np.pi * f * t) for f in rng.uniform(400, 6000, rng.integers(1, 6)))
        else:  # buzz
            y = saws(np.full(d, rng.uniform(40, 450)), d, rng, 1) * (np.sin(2 * np.pi * rng.uniform(1, 30) * t) > rng.uniform(-1, 0.5))
        put(x, level(y) * rng.uniform(0.15, 1), at)
        at += d * rng.uniform(0.3, 1.2) + rng.exponential(pace) * RATE
    if rng.random() < 0.5:
        t = np.arange(6000) / RATE
        x = x + rng.uniform(0.1, 0.8) * signal.fftconvolve(x, rng.standard_normal(6000) * np.exp(-t * rng.uniform(8, 30)) * 0.03)[:n]
    return x


def loops(n, rng):
    """A bar or two of drums, bass and stabs that comes again and again."""
    d = int(rng.uniform(0.8, 4) * RATE)
    bar = np.zeros(d)
    steps = int(rng.choice([8, 16, 12]))
    for _ in range(rng.integers(2, 7)):
        k = int(rng.uniform(0.04, 0.5) * RATE)
        t = np.arange(k) / RATE
        u = rng.random()
        if u < 0.35:
            y = signal.lfilter(*signal.butter(1, np.sort(rng.uniform(50, 7000, 2) + [0, 300]) / 8000 * 0.97, "band"), rng.standard_normal(k))
        elif u < 0.6:
            y = np.sin(2 * np.pi * (rng.uniform(40, 300) * t - 5 * np.exp(-t * 40)))
        elif u < 0.85:
            y = moving(saws(np.full(k, rng.uniform(50, 500)), k, rng, 1), rng)
        else:
            y = np.tanh(rng.uniform(1, 9) * saws(np.full(k, rng.uniform(80, 400)), k, rng, 2))
        y = level(y) * np.exp(-t * rng.uniform(2, 30))
        for s in range(steps):
            if rng.random() < rng.uniform(0.1, 0.7):
                put(bar, y * rng.uniform(0.3, 1), s * d / steps)
    if not np.any(bar):
        return loops(n, rng)
    x = np.tile(bar, n // d + 1)[:n]
    if rng.random() < 0.4:
        x = np.tanh(rng.uniform(1, 4) * level(x))
    if rng.random() < 0.4:
        x = level(x) + rng.uniform(0.3, 1.5) * level(pads(n, rng))
    return x + 1e-3 * rng.standard_normal(n)
