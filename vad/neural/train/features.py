"""Features of the detector: the reference that features.go must equal.

One step is 20 ms, two hops of 10 ms at 16 kHz. Each hop gives the logarithms of
BANDS mel bands, a harmonicity and a pitch; each step adds the noise floor of
every band, which carries on through the stream.
"""
import numpy as np
import scipy.fft

RATE, HOP, WINDOW, SIZE = 16000, 160, 400, 512
BANDS = 28
LOW, HIGH = 80.0, 7600.0
PER_HOP = BANDS + 2
INPUTS = 2 * PER_HOP + BANDS

SMALLEST = 1e-7          # white noise of -92 dBFS
SCALE, OFFSET = 0.2, 1.0  # of a logarithm, so that usual ones lie within -1 and 1
FALL, RISE = 0.3, 0.01   # of the floor per step: 60 ms down, 2 s up

# Harmonicity: cosine transform of the magnitudes from 94 to 2970 Hz, of which
# lags at 8 kHz are looked at, 500 to 80 Hz.
FIRST_BIN, LAST_BIN = 3, 95
COARSE = 256
SHORTEST, LONGEST = 16, 100

HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


def mel_bank():
    mel = lambda f: 2595 * np.log10(1 + f / 700)
    hz = lambda m: 700 * (10 ** (m / 2595) - 1)
    edge = hz(np.linspace(mel(LOW), mel(HIGH), BANDS + 2))
    f = np.arange(SIZE // 2 + 1) * RATE / SIZE
    w = np.zeros((BANDS, len(f)))
    for b in range(BANDS):
        l, c, h = edge[b:b + 3]
        w[b] = np.maximum(0, np.minimum((f - l) / (c - l), (h - f) / (h - c)))
        w[b] /= w[b].sum()
    return w.astype(np.float32)


def lag_weight():
    """What a steady tone would have at each lag, for the window fades."""
    r = np.fft.irfft(np.abs(np.fft.rfft(HANN.astype(np.float64), SIZE)))
    r = r / r[0]
    return np.maximum(r[0:2 * LONGEST + 2:2][:LONGEST + 1], 0.2).astype(np.float32)


MEL, LAG = mel_bank(), lag_weight()
PITCH = (np.log2(np.arange(SHORTEST, LONGEST + 1) / SHORTEST) / np.log2(LONGEST / SHORTEST) - 0.5).astype(np.float32)


def features(x):
    """x: samples, full scale 1, a multiple of 320. Returns [steps, INPUTS]."""
    x = np.concatenate([np.zeros(WINDOW - HOP, np.float32), x.astype(np.float32)])
    n = (len(x) - WINDOW) // HOP + 1
    n -= n % 2
    frames = np.lib.stride_tricks.as_strided(x, (n, WINDOW), (x.strides[0] * HOP, x.strides[0])) * HANN
    z = scipy.fft.rfft(frames, SIZE)
    power = z.real ** 2 + z.imag ** 2
    logs = (np.log(power @ MEL.T + SMALLEST) + OFFSET) * SCALE
    ripple = np.zeros((n, COARSE), np.float32)
    ripple[:, FIRST_BIN:LAST_BIN + 1] = np.sqrt(power[:, FIRST_BIN:LAST_BIN + 1])
    r = scipy.fft.rfft(ripple).real
    at = r[:, SHORTEST:LONGEST + 1] / LAG[SHORTEST:]
    best = np.argmax(at, 1)
    harmonicity = np.clip(at[np.arange(n), best] / (r[:, 0] + 1e-4), 0, 1)
    hops = np.concatenate([logs, harmonicity[:, None], PITCH[best][:, None]], 1).astype(np.float32)
    steps = hops.reshape(n // 2, 2 * PER_HOP)
    level = (steps[:, :BANDS] + steps[:, PER_HOP:PER_HOP + BANDS]) / 2
    floor = np.empty_like(level)
    f = level[0].copy()
    for i, now in enumerate(level):
        f += np.where(now < f, np.float32(FALL), np.float32(RISE)) * (now - f)
        floor[i] = f
    return np.concatenate([steps, floor], 1).astype(np.float32)
