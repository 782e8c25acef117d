"""The engines of a voice pipeline for tests: ears that hear what a file says and log how much sound they got, a voice
that is a tone, and an agent that repeats what it was told, or starts a timer."""
import io
import logging
import math
import pathlib
import struct
import wave

from homeassistant.components import conversation, stt, tts
from homeassistant.helpers import intent

LOG = logging.getLogger(__name__)


class Ears(stt.SpeechToTextEntity):
    _attr_name = "Rig"
    _attr_unique_id = "rig_ears"
    supported_languages = ["en"]
    supported_formats = [stt.AudioFormats.WAV]
    supported_codecs = [stt.AudioCodecs.PCM]
    supported_bit_rates = [stt.AudioBitRates.BITRATE_16]
    supported_sample_rates = [stt.AudioSampleRates.SAMPLERATE_16000]
    supported_channels = [stt.AudioChannels.CHANNEL_MONO]

    async def async_process_audio_stream(self, metadata, stream):
        size, loud = 0, 0
        async for data in stream:
            size += len(data)
            loud = max([loud, *(abs(v[0]) for v in struct.iter_unpack("<h", data))])
        file = pathlib.Path(self.hass.config.path("heard.txt"))
        text = await self.hass.async_add_executor_job(file.read_text)
        LOG.error("heard %d samples, loud %d", size // 2, loud)
        if not text:
            return stt.SpeechResult(None, stt.SpeechResultState.ERROR)
        return stt.SpeechResult(text, stt.SpeechResultState.SUCCESS)


class Voice(tts.TextToSpeechEntity):
    _attr_name = "Rig"
    _attr_unique_id = "rig_voice"
    _attr_default_language = "en"
    _attr_supported_languages = ["en"]

    def get_tts_audio(self, message, language, options):
        out = io.BytesIO()
        with wave.open(out, "wb") as w:
            w.setnchannels(1)
            w.setsampwidth(2)
            w.setframerate(22050)
            for i in range(22050 * max(len(message), 10) // 15):
                w.writeframesraw(struct.pack("<h", int(12000 * math.sin(i * 0.12))))
        return "wav", out.getvalue()


class Agent(conversation.ConversationEntity):
    _attr_name = "Rig"
    _attr_unique_id = "rig_agent"
    supported_languages = "*"

    async def _async_handle_message(self, user_input, chat_log):
        said = f"You said {user_input.text}."
        if user_input.text.startswith("timer"):
            await intent.async_handle(
                self.hass, "rig", intent.INTENT_START_TIMER,
                {"seconds": {"value": 1}, "name": {"value": "pizza"}}, device_id=user_input.device_id)
            said = "Started."
        r = intent.IntentResponse(language=user_input.language)
        r.async_set_speech(said)
        return conversation.ConversationResult(response=r, conversation_id=chat_log.conversation_id,
                                               continue_conversation=user_input.text.startswith("how"))


async def async_setup(hass, config):
    for domain, entity in (("stt", Ears()), ("tts", Voice()), ("conversation", Agent())):
        component = hass.data[domain if domain != "conversation" else conversation.DATA_COMPONENT]
        await component.async_add_entities([entity])
    return True
