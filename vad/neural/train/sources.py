"""Recordings in unpacked Debian packages (fetch.sh): which files, and their sound at 16 kHz."""
import glob
import io
import os
import struct
import subprocess
import zipfile

import numpy as np
import soundfile
from scipy import signal

RATE = 16000

# People. Files in which Silero hears none (effects among them) are left out by people.py.
PEOPLE = {
    "tuxpaint-stamps-default": "**/*_desc*.*",
    "fillets-ng-data-cs": "**/sound/*/cs/*.ogg",
    "asterisk-core-sounds-en-g722": "**/*.g722",
    "asterisk-core-sounds-es-g722": "**/*.g722",
    "asterisk-core-sounds-fr-g722": "**/*.g722",
    "gcin-voice": "**/5.ogg",
    "beneath-a-steel-sky": "**/sky.dsk",
    "drascula": "**/*.ALS",
    "warzone2100-data": "**/base.wz",
    "nexuiz-data": "**/data.pk3",
    "trigger-rally-data": "**/data.zip",
    "openarena-data": "**/*.pk3",
    "ufoai-sound": "**/*.pk3",
    "megaglest-data": "**/sounds/*.*",
    "boswars-data": "**/*.*",
    "freedroidrpg-data": "**/sound/**/*.ogg",
    "warmux-data": "**/sound/**/*.ogg",
    "unknown-horizons": "**/*.ogg",
    "searchandrescue-data": "**/*.*",
}
# Music: pieces in which Silero hears nobody.
MUSIC = ["wesnoth-1.16-music", "warzone2100-music", "nexuiz-music", "ufoai-music", "hyperrogue-music", "pushover-data", "planetblupi-music-ogg",
         "drascula-music", "openclonk-data", "colobot-common-sounds", "freeorion-data", "supertux-data", "extremetuxracer-data", "marsshooter-data",
         "performous", "warmux-data", "freedroidrpg-data", "lugaru-data", "plee-the-bear-data", "brainparty-data", "enigma-data", "scorched3d-data", "xmoto-data", "tuxmath-data", "tuxtype-data", "megaglest-data",
         "unknown-horizons", "widelands-data", "openarena-088-data"]
# Effects, animals, engines, weather, tools: short.
EFFECTS = ["wesnoth-1.16-data", "widelands-data", "colobot-common-sounds", "planetblupi-common", "enigma-data",
           "supertux-data", "extremetuxracer-data", "torcs-data", "minetest-mod-mobs-redo", "minetest-mod-xdecor", "xmoto-data",
           "scorched3d-data", "trophy-data", "plee-the-bear-data", "endless-sky-data", "freeorion-data", "crossfire-client",
           "sound-icons", "wordwarvi-sound", "marsshooter-data", "brainparty-data", "foobillardplus-data", "gnome-audio", "deepin-sound-theme",
           "lomiri-sounds", "yaru-theme-sound", "eiskaltdcpp-sounds", "psi-plus-sounds", "tuxpaint-stamps-default", "megaglest-data",
           "warzone2100-data", "nexuiz-data", "ufoai-sound", "openarena-data", "openarena-088-data", "lugaru-data", "searchandrescue-data",
           "unknown-horizons", "freedroidrpg-data", "warmux-data", "boswars-data", "gamine-data", "openclonk-data", "linphone-common", "jami-daemon",
           "trigger-rally-data", "tuxmath-data", "tuxtype-data"]
DRUMS = ["hydrogen-drumkits", "hydrogen-drumkits-effects", "lmms-common"]

SOUNDS = (".ogg", ".oga", ".wav", ".flac", ".mp3", ".au", ".aif", ".aiff", ".opus")


def to_rate(x, rate):
    if x.ndim > 1:
        x = x.mean(1)
    if rate != RATE:
        g = np.gcd(int(rate), RATE)
        x = signal.resample_poly(x, RATE // g, int(rate) // g)
    return x.astype(np.float32)


def read(file, longest, start=0):
    """Up to longest s of a file or of bytes of one; None where it cannot be read."""
    try:
        with soundfile.SoundFile(file) as f:
            if start and f.frames > (start + longest) * f.samplerate:
                f.seek(int(start * f.samplerate))
            return to_rate(f.read(int(longest * f.samplerate), dtype="float32"), f.samplerate)
    except (RuntimeError, ValueError):
        return None


def sky(name, rng, most):
    """The speech of Beneath a Steel Sky: numbers 50000 to 59999 of the disk, 8 bits at 11,025 Hz behind 22 bytes."""
    index, disk = open(name[:-3] + "dnr", "rb").read(), open(name, "rb").read()
    for i in rng.permutation(struct.unpack("<I", index[:4])[0]):
        e = index[4 + 8 * i:12 + 8 * i]
        at, size = int.from_bytes(e[2:5], "little"), int.from_bytes(e[5:8], "little") & 0x3FFFFF
        at = (at & 0x7FFFFF) << (4 if at >> 23 else 0)
        if most and 50000 <= int.from_bytes(e[:2], "little") < 60000 and size > 6000:
            most -= 1
            yield bytes_8(disk[at + 22:at + size])


def bytes_8(b):
    return to_rate((np.frombuffer(b, np.uint8).astype(np.float32) - 128) / 128, 11025)


def g722(names):
    """Files that lie next to each other are decoded in one go: a byte is two samples."""
    data = [open(n, "rb").read() for n in names]
    x = subprocess.run(["ffmpeg", "-v", "quiet", "-f", "g722", "-i", "-", "-f", "s16le", "-ar", "16000", "-ac", "1", "-"], input=b"".join(data),
                       capture_output=True, check=True).stdout
    x = np.frombuffer(x, "<i2").astype(np.float32) / 32768
    at = 0
    for d in data:
        yield x[at:at + 2 * len(d)]
        at += 2 * len(d)


def sounds(root, package, rng, most, pattern="**/*", longest=14, start=0, smallest=0):
    """Up to most sounds of a package that match, drawn by rng, from files of smallest bytes and more; archives are looked into."""
    names = sorted(n for n in glob.glob(f"{root}/{package}/{pattern}", recursive=True) if os.path.isfile(n) and os.path.getsize(n) >= smallest)
    if pattern.endswith(".g722"):
        yield from g722([names[i] for i in rng.permutation(len(names))[:most]])
        return
    if pattern.endswith(".dsk"):
        yield from sky(names[0], rng, most)
        return
    # Of tuxpaint's stamps, descriptions are speech and the others what the thing sounds like.
    found = [(n, None) for n in names if n.lower().endswith(SOUNDS + (".als",)) and ("_desc" in n) == ("_desc" in pattern)]
    for n in names:
        if n.lower().endswith((".pk3", ".wz", ".zip")):
            with zipfile.ZipFile(n) as z:
                found += [(n, m.filename) for m in z.infolist() if m.filename.lower().endswith(SOUNDS) and m.file_size >= smallest]
    for n, inside in [found[i] for i in rng.permutation(len(found))[:most]]:
        if n.lower().endswith(".als"):
            yield bytes_8(open(n, "rb").read())
            continue
        x = read(io.BytesIO(zipfile.ZipFile(n).read(inside)) if inside else n, longest, start)
        if x is not None:
            yield x
