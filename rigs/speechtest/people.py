"""Makes WAV files and list.tsv (file, voice, kind, text) of the packages in this folder. Kind "own" is a sentence that a
household has declared, "talk" one that it has not. Run by people.sh."""
import glob
import os
import random
import re
import struct
import subprocess

OWN = {"allison": 60, "joe": 60, "cast": 70}  # at most 200 tools can be declared
TALK = {"allison": 25, "joe": 30, "cast": 40}
WORDS, SECONDS = (3, 10), (0.7, 6)


def exchange():
    """Prompts of asterisk, in the voice of Allison Smith. The package does not say what they say: exchange.txt does."""
    files = {os.path.basename(f)[:-5]: f for f in glob.glob("asterisk-core-sounds-en-g722/**/*.g722", recursive=True)}
    with open(os.path.join(os.path.dirname(__file__), "exchange.txt"), encoding="utf-8") as f:
        for line in f:
            name, text = line.split(": ")
            yield "allison", text.strip() + ".", ["-f", "g722", "-i", files[name]]


def game():
    """The dialogues of Flight of the Amazon Queen, as ScummVM packs and reads them: a table of files, among them .DOG with
    what its hero Joe and another one say, and a piece of MP3 for each piece of a sentence."""
    path = glob.glob("flight-of-the-amazon-queen/**/queen.1c", recursive=True)[0]
    with open(path, "rb") as f:
        data = f.read()
    table = {}
    for i in range(struct.unpack_from(">H", data, 13)[0]):
        name, at, size = struct.unpack_from(">12sxII", data, 15 + 21 * i)
        table[name.rstrip(b"\0").decode("latin1")] = at, size
    for dialogue in sorted(n for n in table if n.endswith(".DOG")):
        at, size = table[dialogue]
        x = data[at + 20:at + size]
        levels, _, key, joes, others = struct.unpack_from(">5h", x)
        for side, count, at in ("J", joes, 32 + abs(levels) * 96), ("P", others, struct.unpack_from(">H", x, 22)[0]):
            for _ in range(count):
                number, length = struct.unpack_from(">HB", x, at + 2)
                at += 5
                text = x[at:at + length].decode("latin1")
                if length:
                    at = (at + length + 3) & ~3
                for i, said in enumerate(re.split(r"\*(?:XY.{11}|\w\w)", text)):
                    name = f"{key:2d}{number:4x}{side}{i + 1:x}.SB".replace(" ", "0").upper()
                    if name in table:
                        start, size = table[name]
                        voice = "joe" if side == "J" else re.sub(r"\d*\.DOG", "", dialogue).lower()
                        yield voice, said, ["-f", "mp3", "-i", f"subfile,,start,{start},end,{start + size},,:{path}"]


def main():
    said, r = {}, random.Random("people")
    for voice, text, sound in [*exchange(), *game()]:
        text = " ".join(text.lower().replace("’", "'").split())
        # Numbers, abbreviations and cries are written in more than one way; a piece of a sentence ends in nothing.
        if re.fullmatch(r"[a-z', ]+[.!?]", text) and WORDS[0] <= len(text.split()) <= WORDS[1]:
            said.setdefault(re.sub("[^a-z' ]", "", text), (voice, sound))
    groups = {g: [] for g in OWN}
    for text, (voice, sound) in said.items():
        groups[voice if voice in groups else "cast"].append((voice, text, sound))
    rows = []
    for group, lines in groups.items():
        r.shuffle(lines)
        count = 0
        for voice, text, sound in lines:
            if count == OWN[group] + TALK[group]:
                break
            name = f"{group}-{count:03d}-{voice}.wav"
            pcm = subprocess.run(["ffmpeg", "-v", "error", "-y", *sound, "-ar", "16000", "-ac", "1", name, "-f", "s16le", "-ar", "16000",
                                  "-ac", "1", "-"], capture_output=True, check=True).stdout
            if SECONDS[0] <= len(pcm) / 32000 <= SECONDS[1]:
                rows.append("\t".join((name, voice, "own" if count < OWN[group] else "talk", text)))
                count += 1
    with open("list.tsv", "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")


main()
