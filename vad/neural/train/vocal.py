"""What throats do that synthesisers do not: whisper, breathiness, shouting, soft
endings, slow changes of level and colour. Works on dry speech at 16 kHz."""
import numpy as np
from scipy import linalg, signal

FRAME, STEP, ORDER = 480, 160, 18


def residual_noise(x, rng):
    """x with its excitation replaced by noise, frame by frame (linear prediction)."""
    n = len(x)
    y = np.zeros(n + FRAME, np.float32)
    w = np.hanning(FRAME).astype(np.float32)
    pad = np.concatenate([x, np.zeros(FRAME, np.float32)])
    for at in range(0, n, STEP):
        f = pad[at:at + FRAME] * w
        r = np.correlate(f, f, "full")[FRAME - 1:FRAME + ORDER]
        if r[0] < 1e-7:
            continue
        r = r * np.exp(-0.5 * (2 * np.pi * 40 / 16000 * np.arange(ORDER + 1)) ** 2)
        r[0] *= 1.0001
        a = linalg.solve_toeplitz(r[:-1], r[1:])
        g = np.sqrt(max(r[0] - a @ r[1:], 1e-12) / FRAME)
        e = rng.standard_normal(FRAME).astype(np.float32) * g * w * 1.6
        y[at:at + FRAME] += signal.lfilter([1.0], np.r_[1.0, -a], e)
    return y[:n]


def curve(n, rng, step, low, high):
    """A random line through points every step samples, between low and high."""
    k = n // step + 3
    return np.interp(np.arange(n), np.arange(k) * step, rng.uniform(low, high, k)).astype(np.float32)


def tilt(x, amount):
    """Positive: less bass and more treble, as in shouting."""
    return signal.lfilter([1.0, -amount], [1.0], x).astype(np.float32) if amount > 0 else signal.lfilter([1 + amount], [1.0, amount], x).astype(np.float32)


def intone(x, rng):
    """Speaks with more expression: pitch and pace swing within a sentence."""
    speed = 2 ** (curve(len(x), rng, int(rng.uniform(1500, 9000)), -1, 1) * rng.uniform(0.05, 0.3))
    at = np.cumsum(speed)
    return np.interp(np.arange(at[0], at[-1]), at, x).astype(np.float32)


def alter(x, rng):
    kind = rng.random()
    if kind < 0.07:  # whisper: no voice, and less bass
        x = signal.lfilter([1, -0.7], [1], residual_noise(x, rng)).astype(np.float32)
    elif kind < 0.30:  # breathy, more or less so
        x = x + residual_noise(x, rng) * curve(len(x), rng, 6000, 0, rng.uniform(0.2, 1.0))
    if rng.random() < 0.3:
        x = tilt(x, rng.uniform(-0.6, 0.8))
    if rng.random() < 0.5:  # level wanders by some dB within a sentence
        x = x * 10 ** (curve(len(x), rng, 8000, -7, 3) / 20)
    if rng.random() < 0.25:  # the end dies away
        k = min(len(x), int(rng.uniform(4000, 16000)))
        x[-k:] *= np.linspace(1, 10 ** (-rng.uniform(6, 18) / 20), k).astype(np.float32)
    if rng.random() < 0.3:  # colour wanders: two fixed filters, mixed over time
        b, a = signal.butter(1, np.sort(rng.uniform(300, 5000, 2)) / 8000, "band")
        x = x + signal.lfilter(b, a, x).astype(np.float32) * curve(len(x), rng, 5000, -0.5, 1.5)
    return x.astype(np.float32)
