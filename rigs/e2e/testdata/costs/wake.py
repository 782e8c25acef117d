"""A Wyoming wake word service around microWakeWord for wyoming-satellite, which brings none: wake.py PORT MODEL.json"""
import asyncio
import sys

from pymicro_wakeword import MicroWakeWord, MicroWakeWordFeatures
from wyoming.audio import AudioChunk
from wyoming.server import AsyncEventHandler, AsyncServer
from wyoming.wake import Detect, Detection


class Handler(AsyncEventHandler):
    def __init__(self, *args):
        super().__init__(*args)
        self.word = MicroWakeWord.from_config(sys.argv[2])
        self.features = MicroWakeWordFeatures()

    async def handle_event(self, event):
        if Detect.is_type(event.type):  # after a pause in which it was given nothing
            self.word.reset()
            self.features.reset()
        elif AudioChunk.is_type(event.type):
            for f in self.features.process_streaming(AudioChunk.from_event(event).audio):
                if self.word.process_streaming(f):
                    await self.write_event(Detection(name=self.word.id).event())
        return True


asyncio.run(AsyncServer.from_uri(f"tcp://127.0.0.1:{sys.argv[1]}").run(Handler))
