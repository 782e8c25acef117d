"""Music without singers: instruments that are made of partials, plucked strings,
bowed and blown tones that slide and shake, organs, chords, bass and drums."""
import numpy as np
from scipy import signal

RATE = 16000
SCALES = [[0, 2, 4, 5, 7, 9, 11], [0, 2, 3, 5, 7, 8, 10], [0, 2, 4, 7, 9], [0, 3, 5, 6, 7, 10]]


def envelope(d, attack, decay, release):
    t = np.arange(d) / RATE
    e = np.minimum(1, t / attack) * np.exp(-t * decay)
    k = min(d, int(release * RATE))
    e[-k:] *= np.linspace(1, 0, k)
    return e


def partials(f, d, rng, voice):
    """One note of an instrument; f is a line of frequencies or one."""
    f = np.broadcast_to(np.asarray(f, float), (d,))
    ph = 2 * np.pi * np.cumsum(f) / RATE
    y = np.zeros(d)
    for k, a in enumerate(voice["partials"], 1):
        if f.max() * k < 7800:
            y += a * np.sin(k * (1 + voice["stretch"] * k * k) * ph + k) * (np.exp(-np.arange(d) / RATE * voice["fade"] * k) if voice["fade"] else 1)
    for q, width in voice["body"]:
        y = y + signal.lfilter(*signal.iirpeak(q / 8000, width), y)
    return y


def string(f, d, rng):
    """Karplus and Strong 1983."""
    p = max(2, int(RATE / f))
    b = np.zeros(p + 2)
    b[p], b[p + 1] = -0.5 * 0.996, -0.5 * 0.996
    b[0] = 1
    x = np.zeros(d)
    k = min(p, d)
    x[:k] = rng.standard_normal(k)
    return signal.lfilter([1.0], b, x)


def instrument(rng):
    count = int(rng.integers(1, 24))
    roll = rng.uniform(0.3, 2.2)
    a = np.array([rng.uniform(0.2, 1) / k ** roll for k in range(1, count + 1)])
    if rng.random() < 0.25:
        a[1::2] *= 0.1
    kind = rng.random()
    return {
        "string": kind < 0.2, "partials": a, "stretch": rng.choice([0, 0, 0.0002]),
        "fade": rng.uniform(0.2, 2) if kind < 0.5 else 0,
        "attack": rng.uniform(0.002, 0.02) if kind < 0.6 else rng.uniform(0.03, 0.2),
        "decay": rng.uniform(1, 7) if kind < 0.6 else rng.uniform(0, 0.6),
        "body": [(rng.uniform(250, 4000), rng.uniform(1, 5)) for _ in range(rng.integers(0, 4))],
        "vibrato": rng.uniform(0, 0.02) if kind > 0.55 else 0, "rate": rng.uniform(4, 7.5),
        "slide": rng.random() < 0.4 and kind > 0.55, "breath": rng.uniform(0, 0.3) if rng.random() < 0.3 else 0,
    }


def note(v, f, before, d, rng):
    if v["string"]:
        y = string(f, d, rng)
    else:
        t = np.arange(d) / RATE
        line = f * (1 + v["vibrato"] * np.minimum(1, t / 0.3) * np.sin(2 * np.pi * v["rate"] * t + rng.uniform(0, 6)))
        if v["slide"] and before:
            line = line * (before / f) ** np.exp(-t / 0.05)
        y = partials(line, d, rng, v)
        if v["breath"]:
            y = y + v["breath"] * rng.standard_normal(d)
    return y * envelope(d, v["attack"], v["decay"], 0.03)


def drum(rng, kind):
    t = np.arange(int(rng.uniform(0.08, 0.35) * RATE)) / RATE
    if kind == 0:
        return np.sin(2 * np.pi * (45 * t - 6 * np.exp(-t * 35))) * np.exp(-t * 14) * 2
    y = rng.standard_normal(len(t)) * np.exp(-t * rng.uniform(18, 50))
    if kind == 1:
        return y + np.sin(2 * np.pi * 190 * t) * np.exp(-t * 30)
    return 0.4 * np.diff(y, prepend=0) * np.exp(-t * 40)


def put(x, y, at):
    """Adds y to x from sample at on."""
    at = int(at)
    if 0 <= at < len(x):
        k = min(len(y), len(x) - at)
        x[at:at + k] += y[:k]


def part(x, rng, beat, root, scale, role):
    """One player: melody, chords or bass."""
    v = instrument(rng)
    octave = {"bass": -2, "chord": 0, "melody": rng.integers(0, 3)}[role]
    at, step, before = 0, int(rng.integers(0, 7)), 0
    rest = rng.uniform(0, 0.4)
    while at < len(x):
        length = beat * rng.choice([0.25, 0.5, 0.5, 1, 1, 2] if role != "chord" else [1, 2, 4])
        d = max(200, int(length * rng.uniform(0.6, 1.1) * RATE))
        step = int(np.clip(step + rng.integers(-2, 3), -4, 11))
        if rng.random() > rest:
            for third in ([0, 2, 4] if role == "chord" else [0]):
                s = step + third
                f = root * 2 ** (octave + s // len(scale) + scale[s % len(scale)] / 12)
                if 40 < f < 3500:
                    put(x, note(v, f, before, d, rng) * rng.uniform(0.5, 1), at)
                    before = f
        at += int(length * RATE)


def orchestra(n, rng):
    x = np.zeros(n)
    beat, root, scale = 60 / rng.uniform(60, 170), rng.uniform(130, 280), SCALES[rng.integers(len(SCALES))]
    for role, p in (("melody", 0.85), ("melody", 0.3), ("chord", 0.6), ("bass", 0.5)):
        if rng.random() < p:
            y = np.zeros(n)
            part(y, rng, beat, root, scale, role)
            x += y / (np.sqrt(np.mean(y ** 2)) + 1e-9) * rng.uniform(0.2, 1)
    if rng.random() < 0.5:
        y = np.zeros(n)
        beats = [drum(rng, k) for k in range(3)]
        swing = rng.integers(0, 3, 8)
        for i, at in enumerate(np.arange(0, n, beat / 2 * RATE).astype(int)):
            if rng.random() < 0.85:
                put(y, beats[swing[i % 8]] * rng.uniform(0.5, 1), at)
        x += y / (np.sqrt(np.mean(y ** 2)) + 1e-9) * rng.uniform(0.2, 1)
    if rng.random() < 0.5:
        t = np.arange(int(rng.uniform(0.2, 1.2) * RATE)) / RATE
        x = x + rng.uniform(0.2, 1) * signal.fftconvolve(x, rng.standard_normal(len(t)) * np.exp(-t * 6 / t[-1]) / np.sqrt(len(t)) * 3)[:n]
    if not np.any(x):
        return orchestra(n, rng)
    return x + 1e-3 * rng.standard_normal(n)
