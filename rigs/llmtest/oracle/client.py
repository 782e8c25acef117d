"""Talks to the servers of rigs/llmtest with OpenAI's own Python client, and reads with its types.

    client.py live URL        a conversation over GPT-Live, with what its reference refuses
    client.py realtime URL    one over Realtime, with reasoning, parallel calls and a remote MCP server
    client.py read live|realtime    reads events of a client, a line each

Every event has to be what the types say, without a field that they do not have. What went wrong stands on
stderr, and ends with status 1.
"""

import base64
import collections
import json
import math
import struct
import sys
import typing

import openai
import pydantic
from openai.types import live, realtime

def by_type(union):
    """The models of a union, by the type of their event."""
    union = typing.get_args(union)[0]
    return {typing.get_args(m.model_fields["type"].annotation)[0]: m for m in typing.get_args(union)}


EVENTS = {
    ("live", "sent"): by_type(live.ClientEvent),
    ("live", "got"): by_type(live.ServerEvent),
    ("realtime", "sent"): by_type(realtime.RealtimeClientEvent),
    ("realtime", "got"): by_type(realtime.RealtimeServerEvent),
}


# What the reference shows in its examples, and the types leave out.
SHOWN = {".session.id", ".session.object"}


def extras(value, at=""):
    """The fields that the types do not have."""
    if isinstance(value, openai.BaseModel):
        for name in value.model_extra or {}:
            yield f"{at}.{name}"
        for name in type(value).model_fields:
            yield from extras(getattr(value, name), f"{at}.{name}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from extras(item, f"{at}[{i}]")


def read(which, data):
    """Reads an event strictly."""
    try:
        event = EVENTS[which][data["type"]].model_validate(data)
    except (KeyError, pydantic.ValidationError) as failure:
        raise ValueError(f"{data} is not what is published: {failure}") from failure
    unknown = [name for name in extras(event) if name not in SHOWN]
    if unknown:
        raise ValueError(f"{data['type']} has {', '.join(unknown)}, which is not published: {data}")
    return event


class Talk:
    """A connection whose events are read strictly."""

    def __init__(self, api, connection):
        self.api, self.connection, self.kinds = api, connection, collections.Counter()

    def until(self, kind):
        while True:
            data = json.loads(self.connection.recv_bytes())
            event = read((self.api, "got"), data)
            self.kinds[event.type] += 1
            if event.type == "error" and kind != "error":
                raise ValueError(f"refused: {data}")
            if event.type == kind:
                return event


def tone(seconds, rate=24000):
    samples = (int(8000 * math.sin(i / 9)) for i in range(int(seconds * rate)))
    return base64.b64encode(b"".join(struct.pack("<h", s) for s in samples)).decode()


def silence(seconds, rate=24000):
    return base64.b64encode(bytes(2 * int(seconds * rate))).decode()


def expect(what, got, want):
    if got != want:
        raise ValueError(f"{what}: got {got!r}, want {want!r}")


def talk_live(client):
    with client.live.connect() as connection:
        talk, session = Talk("live", connection), connection.session
        session.thinking.append(content="too early", delegation_id=None, event_id="early")
        expect("what is refused", talk.until("error").error.client_event_id, "early")
        session.start(
            session={
                "model": "gpt-live-1.1",
                "instructions": "Be short.",
                "audio": {"format": {"type": "audio/pcm", "rate": 24000}, "output": {"voice": "marin"}},
                "delegation": {"type": "client"},
                "input": [
                    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
                    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hello"}]},
                ],
                "store": False,
            },
            event_id="start",
        )
        started = talk.until("session.started")
        expect("the start", (started.client_event_id, started.session.model), ("start", "gpt-live-1.1"))
        session.input_audio.append(audio=tone(0.6))
        session.input_audio.append(audio=silence(1))
        expect("the words", talk.until("session.input_transcript.delta").delta, "How")
        delegation = talk.until("session.delegation.created").delegation
        expect("the delegation", (delegation.target, delegation.type), ("client", "delegation"))
        session.thinking.append(content="The house is looking.", delegation_id=delegation.id)
        session.commentary.append(content="330 metres.", delegation_id=delegation.id, event_id="result")
        session.input_audio.append(audio=silence(4))
        talk.until("session.thinking.appended")
        expect("what was added", talk.until("session.commentary.appended").client_event_id, "result")
        said = ""
        while not said.endswith("330 metres."):
            said += talk.until("session.output_transcript.delta").delta
        session.input_audio.mute()
        talk.until("session.input_audio.muted")
        session.input_audio.unmute()
        talk.until("session.input_audio.unmuted")
        refused = {
            "delegation": lambda i: session.commentary.append(content="x", delegation_id="unknown", event_id=i),
            "tokens": lambda i: session.thinking.append(content="word " * 600, delegation_id=None, event_id=i),
            "empty": lambda i: session.thinking.append(content="", delegation_id=None, event_id=i),
            "second start": lambda i: session.start(session={"model": "gpt-live-1.1"}, event_id=i),
            "immutable": lambda i: session.update(session={"delegation": {"type": "responses"}}, event_id=i),
            "odd": lambda i: session.input_audio.append(audio="AA==", event_id=i),
            "responses": lambda i: connection.response.create(event_id=i),
        }
        for name, send in refused.items():
            send(name)
            expect(name, talk.until("error").error.client_event_id, name)
        session.close(event_id="close")
        closed = talk.until("session.closed")
        expect("the end", (closed.reason, closed.client_event_id, closed.usage.seconds), ("close_requested", "close", 6.0))
    return talk.kinds


def talk_realtime(client):
    with client.realtime.connect(model="gpt-realtime-2.1") as connection:
        talk = Talk("realtime", connection)
        talk.until("session.created")
        pcm = {"type": "audio/pcm", "rate": 24000}
        connection.session.update(
            session={
                "type": "realtime",
                "instructions": "Be short.",
                "output_modalities": ["audio"],
                "reasoning": {"effort": "low"},
                "parallel_tool_calls": True,
                "audio": {"input": {"format": pcm, "turn_detection": None}, "output": {"format": pcm, "voice": "marin"}},
                "tools": [
                    {
                        "type": "function",
                        "name": name,
                        "description": "Looks.",
                        "parameters": {"type": "object", "properties": {}},
                    }
                    for name in ("look", "listen")
                ],
            }
        )
        talk.until("session.updated")
        connection.input_audio_buffer.append(audio=tone(1))
        connection.input_audio_buffer.commit()
        talk.until("input_audio_buffer.committed")
        connection.response.create()
        done = talk.until("response.done").response
        calls = [item for item in done.output if item.type == "function_call"]
        expect("the calls", [c.name for c in calls], ["look", "listen"])
        for call in calls:
            connection.conversation.item.create(
                item={"type": "function_call_output", "call_id": call.call_id, "output": call.name}
            )
        connection.conversation.item.create(
            item={
                "type": "mcp_approval_response",
                "id": "no_1",
                "approval_request_id": next(i.id for i in done.output if i.type == "mcp_approval_request"),
                "approve": False,
            }
        )
        connection.response.create()
        expect("the answer", talk.until("response.output_audio_transcript.done").transcript, "look and listen")
        talk.until("response.done")
    return talk.kinds


def main(args):
    if args[0] == "read":
        kinds = collections.Counter()
        for line in sys.stdin:
            kinds[read((args[1], "sent"), json.loads(line)).type] += 1
    else:
        client = openai.OpenAI(base_url=args[1], api_key="sesame", max_retries=0)
        kinds = {"live": talk_live, "realtime": talk_realtime}[args[0]](client)
    print(json.dumps(kinds))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as failure:
        print(f"{type(failure).__name__}: {failure}", file=sys.stderr)
        sys.exit(1)
