"""The parts of linux-voice-assistant, which is not on PyPI, joined as its main loop joins them: soundcard records 1024
samples at a time, pymicro-wakeword looks in each for a wake word and the stop word, messages of aioesphomeapi go to
whoever is connected, and mpv plays the answer. It has neither entities nor sounds: assistant.py PORT MODEL.json STOP.json"""
import asyncio
import sys
import threading
import time

import mpv
import numpy as np
import soundcard
from aioesphomeapi import api_pb2 as pb
from aioesphomeapi._frame_helper.packets import make_plain_text_packets
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO
from aioesphomeapi.model import VoiceAssistantEventType as Event
from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures

BLOCK = 1024
KINDS = {v: k for k, v in MESSAGE_TYPE_TO_PROTO.items()}
ANSWERS = {
    pb.HelloRequest: pb.HelloResponse(api_version_major=1, api_version_minor=10, name="parts"),
    pb.AuthenticationRequest: pb.AuthenticationResponse(),
    pb.DeviceInfoRequest: pb.DeviceInfoResponse(name="parts", mac_address="02:00:00:00:00:01",
                                                voice_assistant_feature_flags=0b111101),
    pb.ListEntitiesRequest: pb.ListEntitiesDoneResponse(),
    pb.PingRequest: pb.PingResponse(),
    pb.DisconnectRequest: pb.DisconnectResponse(),
}


class Satellite(asyncio.Protocol):
    def __init__(self, loop):
        self.loop, self.streaming, self.transport = loop, False, None
        self.player = mpv.MPV(audio_display=False)
        self.player.event_callback("end-file")(lambda _: self.send(pb.VoiceAssistantAnnounceFinished(success=True)))

    def connection_made(self, transport):
        self.transport, self.rest = transport, b""

    def connection_lost(self, _):
        self.transport = None

    def data_received(self, data):
        self.rest += data
        while len(self.rest) >= 3:
            at, numbers = 1, []
            while len(numbers) < 2 and at < len(self.rest):
                value = shift = 0
                while at < len(self.rest):
                    b = self.rest[at]
                    value, shift, at = value | (b & 0x7F) << shift, shift + 7, at + 1
                    if b < 0x80:
                        numbers.append(value)
                        break
            if len(numbers) < 2 or len(self.rest) < at + numbers[0]:
                return
            body, self.rest = self.rest[at:at + numbers[0]], self.rest[at + numbers[0]:]
            self.take(MESSAGE_TYPE_TO_PROTO[numbers[1]].FromString(body))

    def take(self, m):
        if type(m) in ANSWERS:
            self.send(ANSWERS[type(m)])
        elif isinstance(m, pb.VoiceAssistantEventResponse):
            if m.event_type == Event.VOICE_ASSISTANT_STT_END:
                self.streaming = False
            elif m.event_type == Event.VOICE_ASSISTANT_TTS_END:
                self.player.play({d.name: d.value for d in m.data}["url"])

    def send(self, m):
        packets = make_plain_text_packets([(KINDS[type(m)], m.SerializeToString())])
        self.loop.call_soon_threadsafe(lambda: self.transport and self.transport.writelines(packets))

    def listen(self, word, stop):
        features, last = MicroWakeWordFeatures(), 0.0
        with soundcard.default_microphone().recorder(samplerate=16000, channels=1, blocksize=BLOCK) as mic:
            while True:
                sound = (np.clip(mic.record(BLOCK).reshape(-1), -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
                if not self.transport:
                    continue
                if self.streaming:
                    self.send(pb.VoiceAssistantAudio(data=sound))
                inputs, heard = list(features.process_streaming(sound)), False
                for f in inputs:
                    heard = word.process_streaming(f) or heard
                for f in inputs:
                    stop.process_streaming(f)
                if heard and time.monotonic() - last > 2:
                    last, self.streaming = time.monotonic(), True
                    self.send(pb.VoiceAssistantRequest(start=True, wake_word_phrase=word.wake_word))


async def main(port, *models):
    loop = asyncio.get_running_loop()
    satellite = Satellite(loop)
    words = [MicroWakeWord.from_config(m) for m in models]
    server = await loop.create_server(lambda: satellite, "127.0.0.1", int(port))
    threading.Thread(target=satellite.listen, args=words, daemon=True).start()
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
