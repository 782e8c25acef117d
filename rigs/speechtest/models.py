#!/usr/bin/python3
"""Writes models for tests of hearth-speech, in the layout that sherpa-onnx loads.

usage: models.py whisper FOLDER OUT     a real one, from a Whisper model of CTranslate2 (as in faster-whisper)
       models.py moonshine FOLDER OUT   a real one, of the package moonshine-voice
       models.py piper MODEL OUT DATA   a real voice, as Piper has it: MODEL is its .onnx, which has a .json beside it
       models.py hearer OUT             a Whisper whose words are scripted: it tells two sentences apart by loudness
       models.py streamer OUT           a streaming transducer whose words are tones
       models.py spotter OUT            the same, waiting for phrases
       models.py prints OUT             makes prints of voices: the shape of the mean spectrum
       models.py speaker OUT DATA       a Piper voice that hums: DATA is a folder espeak-ng-data

Needs Debian's python3-onnx and python3-numpy. Each OUT is a folder of models/, with a model.yaml.
"""
import base64
import json
import os
import shutil
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Graph:
    """A network that is put together node by node. Values are named by numbers."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def const(self, array):
        self.count += 1
        name = "w%d" % self.count
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def ints(self, *values):
        return self.const(np.array(values, np.int64))

    def floats(self, *values):
        return self.const(np.array(values, np.float32))

    def op(self, kind, *inputs, out=None, **attributes):
        self.count += 1
        out = out or "v%d" % self.count
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def several(self, kind, inputs, outs, **attributes):
        self.nodes.append(helper.make_node(kind, list(inputs), list(outs), **attributes))

    def save(self, path, inputs, outputs, meta):
        def info(v):
            name, kind, shape = v
            return helper.make_tensor_value_info(name, kind, shape)

        graph = helper.make_graph(self.nodes, "g", [info(v) for v in inputs], [info(v) for v in outputs], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        for k, v in meta.items():
            p = model.metadata_props.add()
            p.key, p.value = k, str(v)
        onnx.checker.check_model(model)
        onnx.save(model, path)


class Whisper:
    """The layers of Whisper. Weights are asked for by CTranslate2's names."""

    def __init__(self, weights, heads):
        self.w, self.heads = weights, heads

    def linear(self, g, x, name, rows=None, bias=True):
        rows = rows or slice(None)
        y = g.op("MatMul", x, g.const(self.w[name + "/weight"][rows].T))
        return g.op("Add", y, g.const(self.w[name + "/bias"][rows])) if bias else y

    def norm(self, g, x, name):
        return g.op("LayerNormalization", x, g.const(self.w[name + "/gamma"]), g.const(self.w[name + "/beta"]),
                    axis=-1, epsilon=1e-5)

    def gelu(self, g, x):
        erf = g.op("Erf", g.op("Div", x, g.floats(2 ** 0.5)))
        return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.floats(1))), g.floats(0.5))

    def attend(self, g, q, k, v, mask=None):
        size = self.size() // self.heads
        split = g.ints(0, -1, self.heads, size)
        q = g.op("Transpose", g.op("Reshape", q, split), perm=[0, 2, 1, 3])
        k = g.op("Transpose", g.op("Reshape", k, split), perm=[0, 2, 3, 1])
        v = g.op("Transpose", g.op("Reshape", v, split), perm=[0, 2, 1, 3])
        scores = g.op("MatMul", g.op("Mul", q, g.floats(size ** -0.5)), k)
        if mask:
            scores = g.op("Add", scores, mask)
        mix = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
        return g.op("Reshape", g.op("Transpose", mix, perm=[0, 2, 1, 3]), g.ints(0, -1, self.size()))

    def size(self):
        return self.w["encoder/layer_norm/gamma"].shape[0]

    def layers(self, part):
        return len([n for n in self.w if n.startswith(part + "/layer_") and n.endswith("/ffn/layer_norm/gamma")])

    def feed(self, g, x, layer):
        h = self.norm(g, x, layer + "/ffn/layer_norm")
        h = self.gelu(g, self.linear(g, h, layer + "/ffn/linear_0"))
        return g.op("Add", x, self.linear(g, h, layer + "/ffn/linear_1"))

    def third(self, i):
        return slice(i * self.size(), (i + 1) * self.size())

    def encoder(self, path, meta):
        g = Graph()
        x = "mel"
        for conv, stride in (("conv1", 1), ("conv2", 2)):
            name = "encoder/" + conv
            x = self.gelu(g, g.op("Conv", x, g.const(self.w[name + "/weight"]), g.const(self.w[name + "/bias"]),
                                  pads=[1, 1], strides=[stride]))
        x = g.op("Transpose", x, perm=[0, 2, 1])
        length = g.op("Slice", g.op("Shape", x), g.ints(1), g.ints(2), g.ints(0))
        place = g.op("Slice", g.const(self.w["encoder/position_encodings/encodings"]), g.ints(0), length, g.ints(0))
        x = g.op("Add", x, place)
        for i in range(self.layers("encoder")):
            layer = "encoder/layer_%d" % i
            h, name = self.norm(g, x, layer + "/self_attention/layer_norm"), layer + "/self_attention/linear_0"
            q, k, v = (self.linear(g, h, name, self.third(j)) for j in range(3))
            h = self.attend(g, q, k, v)
            x = self.feed(g, g.op("Add", x, self.linear(g, h, layer + "/self_attention/linear_1")), layer)
        x = self.norm(g, x, "encoder/layer_norm")
        for j, out in enumerate(("n_layer_cross_k", "n_layer_cross_v")):
            each = [g.op("Unsqueeze", self.linear(g, x, "decoder/layer_%d/attention/linear_1" % i, self.third(j)),
                         g.ints(0)) for i in range(self.layers("decoder"))]
            g.op("Concat", *each, out=out, axis=0)
        cross = [self.layers("decoder"), 1, "T2", self.size()]
        g.save(path, [("mel", TensorProto.FLOAT, [1, 80, "T"])],
               [("n_layer_cross_k", TensorProto.FLOAT, cross), ("n_layer_cross_v", TensorProto.FLOAT, cross)], meta)

    def decoder(self, path):
        g = Graph()
        words, places = self.w["decoder/embeddings/weight"], self.w["decoder/position_encodings/encodings"]
        context = places.shape[0]
        embedding = g.const(words)
        count = g.op("Slice", g.op("Shape", "tokens"), g.ints(1), g.ints(2), g.ints(0))
        end = g.op("Add", "offset", count)
        x = g.op("Add", g.op("Gather", embedding, "tokens"), g.op("Slice", g.const(places), "offset", end, g.ints(0)))
        mask = g.op("Slice", g.const(np.triu(np.full((context, context), -1e9, np.float32), 1)), "offset", end,
                    g.ints(0))
        mask = g.op("Slice", mask, g.ints(0), end, g.ints(1))
        caches = {"k": [], "v": []}
        for i in range(self.layers("decoder")):
            layer = "decoder/layer_%d" % i
            h, name = self.norm(g, x, layer + "/self_attention/layer_norm"), layer + "/self_attention/linear_0"
            q, k, v = (self.linear(g, h, name, self.third(j)) for j in range(3))
            heard = []
            for which, new in (("k", k), ("v", v)):
                cache = g.op("Gather", "in_n_layer_self_%s_cache" % which, g.ints(i), axis=0)
                cache = g.op("Squeeze", cache, g.ints(0))
                past = g.op("Slice", cache, g.ints(0), "offset", g.ints(1))
                rest = g.op("Slice", cache, end, g.ints(context), g.ints(1))
                heard.append(g.op("Concat", past, new, axis=1))
                caches[which].append(g.op("Unsqueeze", g.op("Concat", heard[-1], rest, axis=1), g.ints(0)))
            h = self.attend(g, q, heard[0], heard[1], mask)
            x = g.op("Add", x, self.linear(g, h, layer + "/self_attention/linear_1"))
            h = self.linear(g, self.norm(g, x, layer + "/attention/layer_norm"), layer + "/attention/linear_0")
            k, v = (g.op("Squeeze", g.op("Gather", "n_layer_cross_" + c, g.ints(i), axis=0), g.ints(0)) for c in "kv")
            x = g.op("Add", x, self.linear(g, self.attend(g, h, k, v), layer + "/attention/linear_2"))
            x = self.feed(g, x, layer)
        x = self.norm(g, x, "decoder/layer_norm")
        flat = g.op("Gemm", g.op("Reshape", x, g.ints(-1, self.size())), embedding, transB=1)
        g.op("Unsqueeze", flat, g.ints(0), out="logits")
        for c in "kv":
            g.op("Concat", *caches[c], out="out_n_layer_self_%s_cache" % c, axis=0)
        save_decoder(g, path, self.layers("decoder"), context, self.size(), words.shape[0])


def save_decoder(g, path, layers, context, size, vocabulary):
    own, cross, f = [layers, 1, context, size], [layers, 1, "T2", size], TensorProto.FLOAT
    g.save(path, [("tokens", TensorProto.INT64, [1, "N"]), ("in_n_layer_self_k_cache", f, own),
                  ("in_n_layer_self_v_cache", f, own), ("n_layer_cross_k", f, cross), ("n_layer_cross_v", f, cross),
                  ("offset", TensorProto.INT64, [1])],
           [("logits", f, [1, "N", vocabulary]), ("out_n_layer_self_k_cache", f, own),
            ("out_n_layer_self_v_cache", f, own)], {})


def manifest(out, kind, rate, files, **more):
    lines = ["kind: " + kind, "rate: %d" % rate, "files:"] + ["  %s: %s" % f for f in files.items()]
    lines += ["%s: %s" % (k, json.dumps(v)) for k, v in more.items()]
    with open(os.path.join(out, "model.yaml"), "w") as f:
        f.write("\n".join(lines) + "\n")


WHISPER_FILES = {"encoder": "encoder.onnx", "decoder": "decoder.onnx", "tokens": "tokens.txt"}


def ctranslate2(path):
    """The weights of a model.bin, by name."""
    kinds = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
    with open(path, "rb") as f:
        def number(form):
            return struct.unpack("<" + form, f.read(struct.calcsize(form)))[0]

        def text():
            return f.read(number("H"))[:-1].decode()

        if number("I") != 6 or text() != "WhisperSpec":
            sys.exit("models.py: %s is no Whisper of CTranslate2, version 6" % path)
        number("I")
        weights = {}
        for _ in range(number("I")):
            name = text()
            shape = [number("I") for _ in range(number("B"))]
            kind = kinds[number("B")]
            array = np.frombuffer(f.read(number("I")), kind).reshape(shape)
            weights[name] = array.astype(np.float32) if kind == np.float16 else array
    return weights


def letters():
    """GPT-2's way to write bytes as letters, the other way round."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, n = {chr(b): b for b in plain}, 0
    for b in range(256):
        if b not in plain:
            table[chr(256 + n)] = b
            n += 1
    return table


def whisper(folder, out):
    w = ctranslate2(os.path.join(folder, "model.bin"))
    with open(os.path.join(folder, "vocabulary.txt"), encoding="utf-8") as f:
        words = f.read().split("\n")
    if len(words) and words[-1] == "":
        words.pop()
    size, table = len(w["decoder/embeddings/weight"]), letters()
    if size != len(words) or "<|en|>" not in words or words.index("<|endoftext|>") != 50256:
        sys.exit("models.py: the vocabulary is not that of an English Whisper")
    with open(os.path.join(out, "tokens.txt"), "w") as f:
        for i in range(50256):
            f.write("%s %d\n" % (base64.b64encode(bytes(table[c] for c in words[i])).decode(), i))
    heads = int(w["encoder/num_heads"].reshape(-1)[0])
    layers, state = 0, w["encoder/layer_norm/gamma"].shape[0]
    model = Whisper(w, heads)
    layers = model.layers("decoder")
    at = words.index
    model.encoder(os.path.join(out, "encoder.onnx"), {
        "model_type": "whisper-tiny.en", "version": 1, "n_mels": 80, "n_audio_ctx": 1500, "n_audio_state": state,
        "n_audio_head": heads, "n_audio_layer": model.layers("encoder"), "n_vocab": size, "n_text_ctx": 448,
        "n_text_state": state, "n_text_head": heads, "n_text_layer": layers, "sot_sequence": at("<|startoftranscript|>"),
        "sot": at("<|startoftranscript|>"), "sot_index": 0, "eot": 50256, "blank_id": at("Ġ"), "is_multilingual": 0,
        "no_speech": at("<|nocaptions|>"), "transcribe": at("<|transcribe|>"), "translate": at("<|translate|>"),
        "sot_prev": at("<|startofprev|>"), "sot_lm": at("<|startoflm|>"), "no_timestamps": at("<|notimestamps|>"),
        "all_language_tokens": at("<|en|>"), "all_language_codes": "en", "non_speech_tokens": ""})
    model.decoder(os.path.join(out, "decoder.onnx"))
    manifest(out, "whisper", 16000, WHISPER_FILES, languages=["en"], licence="MIT", memory_mb=300)


def moonshine(folder, out):
    names = {"encoder": "encoder_model.ort", "merged_decoder": "decoder_model_merged.ort"}
    for name in names.values():
        shutil.copy(os.path.join(folder, name), out)
    with open(os.path.join(folder, "tokenizer.bin"), "rb") as f:
        data, at, n = f.read(), 0, 0
    with open(os.path.join(out, "tokens.txt"), "w") as f:
        while at < len(data):  # the length of a token, in one byte or two, and its bytes
            length, at = data[at], at + 1
            if length >= 128:
                length, at = data[at] * 128 + length - 128, at + 1
            f.write("%s\t%d\n" % (base64.b64encode(data[at:at + length]).decode(), n))
            at, n = at + length, n + 1
    manifest(out, "moonshine2", 16000, dict(names, tokens="tokens.txt"), languages=["en"], licence="MIT", memory_mb=160)


def piper(path, out, data):
    with open(path + ".json", encoding="utf-8") as f:
        voice = json.load(f)
    with open(os.path.join(out, "tokens.txt"), "w", encoding="utf-8") as f:
        f.writelines("%s %d\n" % (sound, ids[0]) for sound, ids in voice["phoneme_id_map"].items())
    model = onnx.load(path)
    for k, v in {"model_type": "vits", "comment": "piper", "language": "English", "voice": voice["espeak"]["voice"],
                 "has_espeak": 1, "n_speakers": voice["num_speakers"],
                 "sample_rate": voice["audio"]["sample_rate"]}.items():
        p = model.metadata_props.add()
        p.key, p.value = k, str(v)
    onnx.save(model, os.path.join(out, "model.onnx"))
    shutil.copytree(data, os.path.join(out, "espeak-ng-data"), dirs_exist_ok=True)
    manifest(out, "piper", voice["audio"]["sample_rate"],
             {"model": "model.onnx", "tokens": "tokens.txt", "data": "espeak-ng-data"}, languages=["en"], memory_mb=200)


# What the scripted recogniser hears: in loud sound and in soft.
LOUD, SOFT = "turn on the kitchen light", "what is the capital of france"


def hearer(out):
    words = sorted({w for s in (LOUD, SOFT) for w in s.split()})
    end, start, silent, size = len(words), len(words) + 1, len(words) + 2, len(words) + 4
    with open(os.path.join(out, "tokens.txt"), "w") as f:
        for i, w in enumerate(words):
            f.write("%s %d\n" % (base64.b64encode((" " + w).encode()).decode(), i))
    g = Graph()
    # The features of the loudest frame are some 0.8 above those of silence when somebody speaks aloud.
    top = g.op("ReduceMax", "mel", axes=[1, 2], keepdims=1)
    for c in "kv":
        g.op("Unsqueeze", top, g.ints(0), out="n_layer_cross_" + c)
    meta = {"model_type": "whisper-tiny.en", "n_mels": 80, "n_text_layer": 1, "n_text_ctx": 448, "n_text_state": 1,
            "n_vocab": size, "sot": start, "eot": end, "blank_id": 0, "translate": silent, "transcribe": silent,
            "is_multilingual": 0, "no_timestamps": silent, "no_speech": silent, "sot_sequence": start}
    f = TensorProto.FLOAT
    g.save(os.path.join(out, "encoder.onnx"), [("mel", f, [1, 80, "T"])],
           [("n_layer_cross_k", f, [1, 1, 1, 1]), ("n_layer_cross_v", f, [1, 1, 1, 1])], meta)

    g = Graph()
    tables = []
    for sentence in (SOFT, LOUD):
        said = [words.index(w) for w in sentence.split()]
        table = np.zeros((448, size), np.float32)
        for place in range(448):  # the first word is asked for after two tokens: start, no time stamps
            table[place, said[place - 1] if 0 <= place - 1 < len(said) else end] = 10
        tables.append(table)
    loud = g.op("Greater", g.op("Reshape", "n_layer_cross_k", g.ints(1)), g.floats(THRESHOLD))
    table = g.op("Squeeze", g.op("Gather", g.const(np.stack(tables)), g.op("Cast", loud, to=TensorProto.INT64)),
                 g.ints(0))
    count = g.op("Slice", g.op("Shape", "tokens"), g.ints(1), g.ints(2), g.ints(0))
    rows = g.op("Slice", table, "offset", g.op("Add", "offset", count), g.ints(0))
    g.op("Unsqueeze", rows, g.ints(0), out="logits")
    for c in "kv":
        g.op("Identity", "in_n_layer_self_%s_cache" % c, out="out_n_layer_self_%s_cache" % c)
    save_decoder(g, os.path.join(out, "decoder.onnx"), 1, 448, 1, size)
    manifest(out, "whisper", 16000, WHISPER_FILES, languages=["en"])


# Whisper's features are clamped to 8 (of log10) below the loudest and scaled, so that their top tells the loudness.
THRESHOLD = 0.5

# The words of the scripted transducer, and the bands of 80 that the tones of 600, 1200, 2400 and 4200 Hz excite.
TONES = {"lights": 600, "on": 1200, "off": 2400, "kitchen": 4200}


def bands():
    """The band of the features whose middle is nearest to each tone, and those beside it."""
    def mel(f):
        return 1127 * np.log(1 + f / 700)

    low, high = mel(20), mel(16000 / 2 - 400)
    middle = low + (np.arange(80) + 1) * (high - low) / 81
    return [int(np.argmin(abs(middle - mel(f)))) for f in TONES.values()]


def spotter(out):
    """What waits for phrases is a streaming recogniser, with the pieces of its words as SentencePiece has them."""
    streamer(out, 4)  # else words that nobody says become likely in a long silence, as they are hoped for
    os.remove(os.path.join(out, "bpe.vocab"))
    with open(os.path.join(out, "tokens.txt")) as f:
        words = [line.split(" ")[0] for line in f]

    def field(number, value):
        return bytes([number << 3 | 2, len(value)]) + value

    with open(os.path.join(out, "bpe.model"), "wb") as f:
        for i, w in enumerate(words):
            f.write(field(1, field(1, w.encode()) + b"\x15" + struct.pack("<f", -i) + b"\x18\x01"))
    manifest(out, "keyword", 16000, {"encoder": "encoder.onnx", "decoder": "decoder.onnx", "joiner": "joiner.onnx",
                                     "tokens": "tokens.txt", "bpe_model": "bpe.model"}, languages=["en"])


def streamer(out, sure=1):
    words = ["<blk>", "<sos/eos>", "<unk>"] + ["\u2581" + w.upper() for w in TONES]
    with open(os.path.join(out, "tokens.txt"), "w") as f:
        f.writelines("%s %d\n" % (w, i) for i, w in enumerate(words))
    with open(os.path.join(out, "bpe.vocab"), "w") as f:
        f.writelines("%s\t%d\n" % (w, -i) for i, w in enumerate(words))
    size, f = len(words), TensorProto.FLOAT
    # Frames of 10 ms, four of which become one of what the encoder tells: how far each band stands above the mean.
    g = Graph()
    x = g.op("Slice", "x", g.ints(0), g.ints(32), g.ints(1))
    x = g.op("ReduceMean", g.op("Reshape", x, g.ints(1, 8, 4, 80)), axes=[2], keepdims=0)
    pick = np.zeros((80, size), np.float32)
    for i, band in enumerate(bands()):
        pick[band - 1:band + 2, i + 3] = 1 / 3
    tone = g.op("MatMul", x, g.const(pick))
    mean = g.op("ReduceMean", x, axes=[2], keepdims=1)
    own = np.zeros(size, np.float32)
    own[3:] = 1
    g.op("Mul", g.op("Sub", tone, mean), g.const(own), out="encoder_out")
    for s in "hc":
        g.op("Identity", s, out="next_" + s)
    state = [1, 1, 1]
    g.save(os.path.join(out, "encoder.onnx"), [("x", f, [1, 39, 80]), ("h", f, state), ("c", f, state)],
           [("encoder_out", f, [1, 8, size]), ("next_h", f, state), ("next_c", f, state)],
           {"model_type": "lstm", "num_encoder_layers": 1, "T": 39, "decode_chunk_len": 32, "rnn_hidden_size": 1,
            "d_model": 1})
    # The decoder tells the last word, and the joiner takes a word that is not the last one and stands out.
    g = Graph()
    last = g.op("Slice", "y", g.ints(1), g.ints(2), g.ints(1))
    g.op("Squeeze", g.op("Gather", g.const(np.eye(size, dtype=np.float32)), last), g.ints(1), out="decoder_out")
    g.save(os.path.join(out, "decoder.onnx"), [("y", TensorProto.INT64, ["N", 2])], [("decoder_out", f, ["N", size])],
           {"vocab_size": size, "context_size": 2})
    g = Graph()
    blank = np.zeros(size, np.float32)
    blank[0], blank[1:3] = STANDS_OUT, -100
    heard = g.op("Sub", g.op("Add", "encoder_out", g.const(blank)), g.op("Mul", "decoder_out", g.floats(100)))
    # The blank may come again.
    again = np.zeros(size, np.float32)
    again[0] = 100
    heard = g.op("Add", heard, g.op("Mul", "decoder_out", g.const(again)))
    g.op("Mul", heard, g.floats(sure), out="logit")
    g.save(os.path.join(out, "joiner.onnx"), [("encoder_out", f, ["N", size]), ("decoder_out", f, ["N", size])],
           [("logit", f, ["N", size])], {"joiner_dim": size})
    manifest(out, "zipformer", 16000, {"encoder": "encoder.onnx", "decoder": "decoder.onnx", "joiner": "joiner.onnx",
                                       "tokens": "tokens.txt", "bpe_vocab": "bpe.vocab"}, languages=["en"])


# How far the band of a tone stands above the mean of all, in the features' own logarithm.
STANDS_OUT = 6


def prints(out):
    """The cepstrum of the mean spectrum without its level and slope, which all voices share."""
    g, f = Graph(), TensorProto.FLOAT
    bands, first, size = 80, 2, 24
    order, band = np.arange(first, first + size)[None], np.arange(bands)[:, None]
    cepstrum = np.cos(np.pi * order * (band + 0.5) / bands).astype(np.float32)
    g.op("MatMul", g.op("ReduceMean", "x", axes=[1], keepdims=0), g.const(cepstrum), out="embedding")
    g.save(os.path.join(out, "model.onnx"), [("x", f, ["N", "T", bands])], [("embedding", f, ["N", size])],
           {"framework": "3d-speaker", "language": "English", "sample_rate": 16000, "output_dim": size,
            "normalize_samples": 1, "feature_normalize_type": ""})
    manifest(out, "speaker", 16000, {"model": "model.onnx"}, threshold=0.85)


def speaker(out, data):
    shutil.copytree(data, os.path.join(out, "espeak-ng-data"), dirs_exist_ok=True)
    with open(os.path.join(out, "tokens.txt"), "w", encoding="utf-8") as f:
        signs = "_^$ !'(),-.:;?abcdefghijklmnopqrstuvwxyzæçðøħŋœɐɑɒɔɕɖɗɘəɚɛɜɞɟɡɢɣɤɥɦɧɨɪɫɬɭɮɯɰɱɲɳɴɵɶɸɹɺɻɽɾʀʁʂʃʄʈʉʊʋʌʍʎʏʐʑʒʔʕˈˌːˑ"
        f.writelines("%s %d\n" % (c, i) for i, c in enumerate(signs))
    # 50 ms of a hum for each sound.
    g, f = Graph(), TensorProto.FLOAT
    n = g.op("Mul", g.op("Squeeze", "input_lengths", g.ints(0)), g.const(np.array(800, np.int64)))
    time = g.op("Range", g.const(np.array(0, np.int64)), n, g.const(np.array(1, np.int64)))
    wave = g.op("Sin", g.op("Mul", g.op("Cast", time, to=f), g.floats(2 * np.pi * 200 / 16000)))
    # All inputs take part, or they would be left out of the graph.
    quiet = g.op("Mul", g.op("ReduceSum", "scales", keepdims=0), g.floats(0))
    quiet = g.op("Add", quiet, g.op("Mul", g.op("Cast", g.op("ReduceSum", "input", keepdims=0), to=f), g.floats(0)))
    wave = g.op("Add", g.op("Mul", wave, g.floats(0.3)), quiet)
    g.op("Reshape", wave, g.ints(1, 1, -1), out="output")
    g.save(os.path.join(out, "model.onnx"),
           [("input", TensorProto.INT64, [1, "N"]), ("input_lengths", TensorProto.INT64, [1]), ("scales", f, [3])],
           [("output", f, [1, 1, "T"])],
           {"model_type": "vits", "comment": "piper", "language": "English", "voice": "en-us", "has_espeak": 1,
            "n_speakers": 1, "sample_rate": 16000})
    manifest(out, "piper", 16000, {"model": "model.onnx", "tokens": "tokens.txt", "data": "espeak-ng-data"},
             languages=["en"])


def main():
    commands = {"whisper": (whisper, 2), "moonshine": (moonshine, 2), "piper": (piper, 3), "hearer": (hearer, 1), "streamer": (streamer, 1),
                "spotter": (spotter, 1), "speaker": (speaker, 2), "prints": (prints, 1)}
    arguments = sys.argv[1:]
    if not arguments or arguments[0] not in commands or len(arguments) != commands[arguments[0]][1] + 1:
        sys.exit(__doc__)
    command, arguments = commands[arguments[0]][0], arguments[1:]
    os.makedirs(arguments[1] if command in (whisper, moonshine, piper) else arguments[0], exist_ok=True)
    command(*arguments)


if __name__ == "__main__":
    main()
