"""Makes the bank of dry speech: voices.py OUT.npz COUNT SEED [lively].

Every clip is one sentence of one synthetic person at 16 kHz with a mark for each
10 ms that is speech, read off the energy of the dry sound.
"""
import io
import subprocess
import sys
import wave

import numpy as np
from scipy import signal

import texts
from vocal import alter, intone

RATE, HOP = 16000, 160

# Never used: these measure (rigs/hearing/bed), so training must not hear them.
# All of Festival is left out too.
HELD_LANGUAGES = {"ga", "eu", "ka", "sw", "en-gb-scotland"}
HELD_VARIANTS = {"klatt4", "Andrea", "max", "iven3"}
# No voices of people: effects.
EFFECTS = {"anikaRobot", "robosoft", "robosoft2", "robosoft3", "robosoft4", "robosoft5", "robosoft6",
           "robosoft7", "robosoft8", "UniRobot", "croak", "Demonic", "fast"}


def languages():
    rows = subprocess.run(["espeak-ng", "--voices"], capture_output=True, text=True, check=True).stdout.split("\n")[1:]
    found = sorted({r.split()[1] for r in rows if r.strip()})
    return [l for l in found if l not in HELD_LANGUAGES]


def variants():
    rows = subprocess.run(["espeak-ng", "--voices=variant"], capture_output=True, text=True, check=True).stdout.split("\n")[1:]
    found = sorted({r.split("!v/")[1].split()[0] for r in rows if "!v/" in r})
    return [v for v in found if v not in HELD_VARIANTS | EFFECTS]


def read(data):
    """A WAV whose header may not know its length, as engines write to a pipe."""
    at = data.find(b"data")
    rate = int.from_bytes(data[24:28], "little")
    body = data[at + 8:]
    return rate, np.frombuffer(body[:len(body) // 2 * 2], "<i2").astype(np.float32) / 32768


def espeak(rng, text, langs, kinds):
    lang = langs[rng.integers(len(langs))] if rng.random() < 0.7 else ["en-us", "en-gb", "de", "fr", "es", "it"][rng.integers(6)]
    voice = lang + "+" + kinds[rng.integers(len(kinds))]
    c = ["espeak-ng", "-v", voice, "-s", str(int(rng.uniform(105, 260))), "-p", str(int(rng.uniform(5, 95))),
         "-g", str(int(rng.choice([0, 0, 1, 3]))), "-a", "90", "--stdout", text]
    return voice, subprocess.run(c, capture_output=True, timeout=30).stdout


def flite(rng, text):
    voice = ["kal", "kal16", "rms", "slt", "rms", "slt"][rng.integers(6)]
    mean = {"kal": 105, "kal16": 105, "rms": 100, "slt": 170}[voice] * 2 ** rng.uniform(-0.5, 0.7)
    c = ["flite", "-voice", voice, "-t", text.encode("ascii", "ignore").decode() or "well", "-o", "/dev/stdout",
         "--setf", f"duration_stretch={rng.uniform(0.7, 1.5):.2f}", "--setf", f"int_f0_target_mean={mean:.0f}",
         "--setf", f"int_f0_target_stddev={rng.uniform(6, 40):.0f}"]
    return voice, subprocess.run(c, capture_output=True, timeout=30).stdout


def marks(x):
    """Speech per hop: within 38 dB of the loud hops; closures up to 70 ms belong to it."""
    e = 10 * np.log10(np.mean(x.reshape(-1, HOP) ** 2, 1) + 1e-12)
    top = np.percentile(e, 95)
    s = e > max(top - 38, -75)
    edge = np.flatnonzero(np.diff(np.r_[1, s.astype(int), 1]))
    for b, c in zip(edge[::2], edge[1::2]):
        if c - b <= 7 and b > 0 and c < len(s):
            s[b:c] = True
    return s


def main():
    out, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    lively = bool(sys.argv[4:])
    rng = np.random.default_rng(seed)
    langs, kinds = languages(), variants()
    sound, label, names = [], [], []
    for text in texts.sentences(rng, count):
        try:
            name, data = flite(rng, text) if rng.random() < 0.45 else espeak(rng, text, langs, kinds)
        except subprocess.TimeoutExpired:
            continue
        if len(data) < 4000:
            continue
        rate, x = read(data)
        x = x[:12 * rate]
        if not np.any(x):
            continue
        # Played slower or faster: another length of the vocal tract.
        warp = rng.uniform(0.8, 1.25) if rng.random() < 0.7 else 1.0
        up, down = int(RATE / 50), int(rate * warp / 50)
        x = signal.resample_poly(x, up, down).astype(np.float32)
        if lively and rng.random() < 0.6:
            x = intone(x, rng)
        n = len(x) // HOP * HOP
        if n < 20 * HOP:
            continue
        x = x[:n]
        s = marks(x)
        if s.sum() < 10:
            continue
        first, last = np.flatnonzero(s)[[0, -1]]
        x, s = x[first * HOP:(last + 1) * HOP], s[first:last + 1]
        x = alter(x, rng)
        e = np.mean(x.reshape(-1, HOP)[s] ** 2)
        x = np.clip(x * (0.05 / np.sqrt(e + 1e-12)), -1, 1)
        sound.append((x * 32767).astype(np.int16))
        label.append(s)
        names.append(name)
    np.savez(out, sound=np.concatenate(sound), mark=np.concatenate(label), length=np.array([len(s) for s in label]),
             name=np.array(names))
    print(out, len(sound), "clips", sum(len(s) for s in label) // 100, "s")


if __name__ == "__main__":
    main()
