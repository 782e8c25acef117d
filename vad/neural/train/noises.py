"""Makes the bank of noises: noises.py OUT.npz SPEECH.npz SECONDS ROUNDS SEED [more].

With "more" only music, effects and babble are made.

Every generator takes (n, rng) and returns n samples at 16 kHz; all are scaled to
an RMS of 1. Nothing here is recorded, and nothing is meant as speech: babble has
at least six voices at once.
"""
import sys

import numpy as np
from scipy import signal

from effects import gestures, loops, pads
from music import orchestra, put
from vocal import curve

RATE = 16000


def unit(x):
    return (x / (np.sqrt(np.mean(x ** 2)) + 1e-12)).astype(np.float32)


def colored(n, rng, slope):
    z = np.fft.rfft(rng.standard_normal(n))
    f = np.maximum(np.fft.rfftfreq(n, 1 / RATE), 25)
    return unit(np.fft.irfft(z * (f / 1000) ** (-slope / 2), n))


def band(x, low, high, order=2):
    return signal.sosfilt(signal.butter(order, [max(low, 20) / 8000, min(high, 7900) / 8000], "band", output="sos"), x)


def times(n, rng, rate):
    """Random moments, rate per second, in samples."""
    t = np.cumsum(rng.exponential(RATE / rate, int(n / RATE * rate * 2) + 4))
    return t[t < n].astype(int)


def modes(d, rng, low, high, count, slow, fast):
    """Decaying sines without harmony: something hard that was struck."""
    t = np.arange(d) / RATE
    f = np.exp(rng.uniform(np.log(low), np.log(high), count))
    y = sum(rng.uniform(0.1, 1) * np.exp(-t * np.exp(rng.uniform(np.log(slow), np.log(fast)))) *
            np.sin(2 * np.pi * q * t + rng.uniform(0, 6.28)) for q in f)
    return y + rng.uniform(0, 3) * rng.standard_normal(d) * np.exp(-t * rng.uniform(150, 900))


def steady(n, rng):
    return colored(n, rng, rng.uniform(-0.5, 2.2))


def hum(n, rng):
    t = np.arange(n) / RATE
    base = rng.choice([50, 60]) * (1 + 0.002 * rng.standard_normal())
    x = sum(rng.uniform(0.05, 1) / h ** rng.uniform(0.3, 1.5) * np.sin(2 * np.pi * base * h * t + rng.uniform(0, 6.28))
            for h in range(1, rng.integers(4, 40)))
    return unit(x) + rng.uniform(0.01, 1) * colored(n, rng, rng.uniform(0.5, 2))


def rotor(n, rng):
    """Fans, extractor hoods, mixers, vacuum cleaners, engines."""
    wob = 1 + rng.uniform(0, 0.12) * curve(n, rng, int(rng.uniform(3000, 60000)), -1, 1)
    ph = 2 * np.pi * np.cumsum(rng.uniform(25, 330) * wob) / RATE
    x = np.zeros(n)
    roll = rng.uniform(0.1, 1.6)
    for k in range(1, int(rng.integers(3, 45))):
        x += rng.uniform(0.2, 1) / k ** roll * np.sin(k * ph + rng.uniform(0, 6.28))
    air = colored(n, rng, rng.uniform(0, 2)) * (1 + rng.uniform(0, 0.8) * np.sin(ph / rng.integers(1, 5)))
    x = unit(x) + rng.uniform(0.1, 4) * air
    if rng.random() < 0.4:  # switched on and off
        x = x * np.clip(curve(n, rng, int(rng.uniform(8000, 60000)), -1, 3), 0, 1)
    return x


def water(n, rng):
    x = unit(band(rng.standard_normal(n), rng.uniform(150, 900), rng.uniform(3000, 7500), 1))
    x = x * 10 ** (curve(n, rng, int(rng.uniform(600, 8000)), -4, 4) / 20)
    for at in times(n, rng, rng.uniform(10, 120)):
        d = int(rng.uniform(150, 1400))
        t = np.arange(d) / RATE
        f = np.exp(rng.uniform(np.log(300), np.log(4000)))
        put(x, rng.exponential(0.7) * np.sin(2 * np.pi * (f * t + rng.uniform(0, 9000) * t ** 2)) * np.exp(-t * rng.uniform(30, 250)), at)
    return x


def drops(n, rng):
    x = 0.01 * colored(n, rng, 1)
    for at in times(n, rng, rng.uniform(0.5, 6)):
        t = np.arange(2400) / RATE
        put(x, rng.uniform(0.2, 1) * np.sin(2 * np.pi * rng.uniform(500, 1800) * t * (1 + rng.uniform(0, 8) * t)) * np.exp(-t * rng.uniform(25, 90)), at)
    return x


def crackle(n, rng):
    """Frying, a fire, rain, vinyl, a bad contact."""
    x = rng.uniform(0.005, 0.3) * band(rng.standard_normal(n), rng.uniform(200, 3000), 7800, 1)
    p = np.zeros(n)
    k = times(n, rng, np.exp(rng.uniform(np.log(8), np.log(900))))
    p[k] = rng.standard_normal(len(k)) * rng.exponential(1, len(k)) ** 2
    f = rng.uniform(800, 5500)
    return x + 6 * signal.lfilter(*signal.iirpeak(f / 8000, rng.uniform(0.5, 4)), p) * 10 ** (curve(n, rng, 16000, -9, 6) / 20)


def clatter(n, rng):
    """Dishes, cutlery, pans, glasses, tools, keys."""
    x = 0.003 * colored(n, rng, 1)
    low, high = sorted(np.exp(rng.uniform(np.log(200), np.log(7500), 2)))
    for at in times(n, rng, rng.uniform(0.5, 7)):
        gap, g = rng.uniform(500, 4000), rng.uniform(0.1, 1)
        for _ in range(rng.integers(1, 7)):
            put(x, g * modes(int(rng.uniform(1500, 12000)), rng, low, max(high, low * 1.5), rng.integers(2, 10), 6, 150), at)
            at, gap, g = at + gap, gap * rng.uniform(0.5, 1.1), g * rng.uniform(0.4, 1)
    return x


def knocks(n, rng):
    """Doors, steps, drawers, chopping, bumps against the table."""
    x = 0.005 * colored(n, rng, 1.5)
    period = rng.uniform(0.15, 1.2) * RATE
    at = 0
    shape = [modes(3000, rng, rng.uniform(50, 200), rng.uniform(300, 2500), rng.integers(2, 7), 25, 220) for _ in range(3)]
    while at < n:
        put(x, rng.uniform(0.4, 1) * shape[rng.integers(3)], at)
        at += period * rng.uniform(0.8, 1.2) if rng.random() < 0.85 else rng.uniform(1, 4) * RATE
    return x


def clicks(n, rng):
    """Keyboards, mice, switches, clocks, relays."""
    x = 0.01 * colored(n, rng, 1)
    forms = [modes(700, rng, 900, 7000, 5, 150, 700) for _ in range(8)]
    at = 0
    steady_beat = rng.random() < 0.3
    beat = rng.uniform(0.1, 1) * RATE
    while at < n:
        f = forms[0 if steady_beat else rng.integers(8)] * (1 if steady_beat else rng.uniform(0.3, 1))
        put(x, f, at)
        put(x, 0.6 * f, at + rng.uniform(800, 1800))
        at += beat if steady_beat else rng.exponential(0.13) * RATE + (rng.uniform(0.5, 3) * RATE if rng.random() < 0.06 else 500)
    return x


def rustle(n, rng):
    """Paper, bags, clothes, brushing, sweeping, sawing."""
    x = band(rng.standard_normal(n), rng.uniform(300, 2500), rng.uniform(4500, 7900), 1)
    grain = np.repeat(rng.exponential(1, n // 60 + 1) ** 1.5, 60)[:n]
    rate = rng.uniform(0.7, 6)
    swing = np.clip(np.sin(2 * np.pi * rate * np.arange(n) / RATE + 2 * curve(n, rng, 9000, -1, 1)) + rng.uniform(-0.3, 0.8), 0, 2)
    return x * grain * swing + 0.003 * colored(n, rng, 1)


def wind(n, rng):
    """On the microphone: low, in gusts, beyond what it can take."""
    x = colored(n, rng, rng.uniform(2.2, 4)) * 10 ** (curve(n, rng, int(rng.uniform(2000, 16000)), -22, 6) / 20)
    return np.tanh(2 * unit(x)) + 0.02 * colored(n, rng, 1)


def bursts(n, rng):
    """Noise in the rhythm of syllables, with a moving colour but no voice."""
    env = np.clip(curve(n, rng, int(rng.uniform(900, 5000)), -1, 1), 0, 1) ** rng.uniform(0.5, 2)
    x = colored(n, rng, rng.uniform(0, 2))
    y = unit(band(x, *sorted(rng.uniform(100, 6000, 2) + [0, 400])))
    return (y * curve(n, rng, 3000, 0, 1) + 0.4 * x) * env + 0.01 * colored(n, rng, 1)


def beeps(n, rng):
    """Alarms, appliances, telephones, games."""
    x = 0.003 * colored(n, rng, 1)
    at = rng.uniform(0, 1) * RATE
    while at < n:
        f, d, gap = rng.uniform(250, 4200), rng.uniform(0.04, 0.7), rng.uniform(0.03, 0.6)
        hs = [rng.uniform(0, 1) / k for k in range(1, rng.integers(2, 9))]
        second = rng.choice([1, 1, 1.25, 1.335, 1.5, 2])
        slide = rng.uniform(-0.6, 0.6) if rng.random() < 0.3 else 0
        for j in range(rng.integers(1, 9)):
            t = np.arange(int(d * RATE)) / RATE
            g = f * (second if j % 2 else 1)
            ph = 2 * np.pi * g * (t + slide * t ** 2 / d / 2)
            e = np.minimum(1, np.minimum(t, t[::-1]) / 0.004) * np.exp(-t * rng.choice([0, 0, 4, 12]))
            put(x, e * sum(a * np.sin((k + 1) * ph) for k, a in enumerate(hs) if g * (k + 1) < 7600), at)
            at += (d + gap) * RATE
        at += rng.uniform(0, 3) * RATE
    return x


def glides(n, rng):
    """Animals, babies, sirens, squeaking doors: harmonic sounds that slide."""
    x = 0.004 * colored(n, rng, 1)
    kind = rng.integers(6)
    base, spread, d0, d1 = [(1800, 1.2, 0.03, 0.25), (380, 0.5, 0.08, 0.3), (420, 0.7, 0.3, 1.0), (420, 0.25, 0.5, 1.4),
                            (700, 1.0, 0.8, 3.0), (500, 1.5, 0.1, 1.2)][kind]  # bird, dog, cat, baby, siren, hinge
    at = 0
    forms = rng.uniform(600, 3500, 2)
    while at < n:
        d = int(rng.uniform(d0, d1) * RATE)
        f = base * 2 ** (curve(d, rng, max(200, d // 3), -spread, spread) * 0.6 + 0.3 * np.sin(np.pi * np.arange(d) / d))
        ph = 2 * np.pi * np.cumsum(f) / RATE
        y = sum(np.sin(k * ph) / k ** rng.uniform(0.3, 1.4) * (f * k < 7600) for k in range(1, 2 if kind == 0 else 12))
        if kind in (1, 2, 3):
            y = unit(y + rng.uniform(0, 1.5) * rng.standard_normal(d))
            for q in forms:
                y = y + signal.lfilter(*signal.iirpeak(q / 8000, 4), y) * 2
        put(x, y * np.sin(np.pi * np.arange(d) / d) ** rng.uniform(0.3, 1) * rng.uniform(0.3, 1), at)
        at += d + (rng.exponential(0.25) if rng.random() < 0.8 else rng.uniform(1, 3)) * RATE
    return x


def body(n, rng):
    """Breaths, sniffs, swallowing, coughs, smacking lips, chewing."""
    x = 0.003 * colored(n, rng, 1)
    at = rng.uniform(0, 1) * RATE
    while at < n:
        u = rng.random()
        if u < 0.55:  # breath
            d = int(rng.uniform(0.15, 1.1) * RATE)
            y = band(rng.standard_normal(d), rng.uniform(200, 1500), rng.uniform(2500, 7000), 1) * np.hanning(d) ** rng.uniform(0.5, 2)
            g = rng.uniform(0.1, 0.5)
        elif u < 0.75:  # cough
            d = int(rng.uniform(0.12, 0.4) * RATE)
            t = np.arange(d) / RATE
            y = band(rng.standard_normal(d), rng.uniform(150, 500), rng.uniform(2000, 5000), 1) * np.exp(-t * rng.uniform(6, 25)) * np.minimum(1, t / 0.006)
            g = 1
        else:  # lips
            y, g = modes(900, rng, 400, 5000, 4, 200, 800), 0.3
        put(x, g * y, at)
        at += rng.uniform(0.3, 2.2) * RATE
    return x


def traffic(n, rng):
    x = np.zeros(n)
    for at in times(n, rng, 0.25):
        d = int(rng.uniform(2, 7) * RATE)
        put(x, colored(d, rng, rng.uniform(0.8, 2)) * np.hanning(d) ** 2 * rng.uniform(0.2, 1), at)
    return x + 0.05 * colored(n, rng, 1.5)


def layers(n, rng):
    """Music as it is produced: a band over loops and pads, pressed together."""
    x = unit(orchestra(n, rng)) + sum(rng.uniform(0, 1.2) * unit(f(n, rng)) for f in (loops, pads, orchestra) if rng.random() < 0.6)
    e = np.sqrt(np.convolve(x ** 2, np.ones(800) / 800, "same")) + 0.05
    return x / e ** rng.uniform(0, 0.8)


class Crowd:
    """Babble of six to fourteen voices of the bank."""

    def __init__(self, bank):
        self.sound = bank["sound"]
        self.start = np.concatenate([[0], np.cumsum(bank["length"])]) * 160

    def __call__(self, n, rng):
        x = np.zeros(n, np.float32)
        for _ in range(rng.integers(6, 15)):
            at = -int(rng.uniform(0, 3) * RATE)
            g = 10 ** (rng.uniform(-6, 3) / 20)
            while at < n:
                k = rng.integers(len(self.start) - 1)
                y = self.sound[self.start[k]:self.start[k + 1]].astype(np.float32) / 32768 * g
                y = y[max(0, -at):]
                at = max(at, 0)
                put(x, y, at)
                at += len(y) + int(rng.exponential(0.15) * RATE)
        if rng.random() < 0.5:  # far away in a hall
            t = np.arange(6400) / RATE
            x = signal.fftconvolve(x, rng.standard_normal(6400) * np.exp(-t * rng.uniform(12, 40)))[:n]
        return unit(x) + 0.01 * colored(n, rng, 1)


PLAIN = [steady, hum, rotor, rotor, water, water, drops, crackle, crackle, clatter, clatter, clatter, knocks, clicks, rustle, wind,
         bursts, beeps, beeps, glides, glides, glides, body, traffic]


def main():
    out, speech, seconds, rounds, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    makers = [orchestra] * 6 + [layers] * 6 + [pads] * 4 + [gestures] * 6 + [loops] * 5 if sys.argv[6:] else PLAIN + [orchestra] * 9
    rng = np.random.default_rng(seed)
    crowd = Crowd(dict(np.load(speech)))
    bank, names = [], []
    for _ in range(rounds):
        for make in makers + [crowd] * 4:
            x = unit(make(seconds * RATE, rng))
            bank.append((np.clip(x / 16, -1, 1) * 32767).astype(np.int16))
            names.append(getattr(make, "__name__", "babble"))
    np.savez(out, sound=np.stack(bank), name=np.array(names))
    print(out, len(bank), "noises")


if __name__ == "__main__":
    main()
