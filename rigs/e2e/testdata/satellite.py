"""Uses a satellite as Home Assistant does, with its own client library: commands come as lines of JSON, and what is
seen goes out so."""
import asyncio
import json
import sys

import aioesphomeapi as esp


def tell(what, **more):
    print(json.dumps({"what": what, **more}, default=str), flush=True)


async def main(port, key):
    cli = esp.APIClient("127.0.0.1", int(port), None, client_info="rig", noise_psk=key or None)
    try:
        await cli.connect(login=True)
    except Exception as e:  # what it is, the test decides
        tell("refused", error=type(e).__name__)
        return
    info = await cli.device_info()
    tell("info", name=info.name, friendly=info.friendly_name, mac=info.mac_address, project=info.project_name,
         flags=info.voice_assistant_feature_flags_compat(cli.api_version), api=str(cli.api_version))
    entities, _ = await cli.list_entities_services()
    keys, names = {}, {}
    for e in entities:
        keys[e.object_id], names[e.key] = e.key, e.object_id
        tell("entity", id=e.object_id, kind=type(e).__name__, name=e.name)

    def state(s):
        value = {k: v for k, v in s.to_dict().items() if k not in ("key", "device_id")}
        tell("state", id=names[s.key], value=json.dumps(value))

    cli.subscribe_states(state)
    audio = 0

    async def begin(conversation, flags, settings, phrase):
        nonlocal audio
        audio = 0
        tell("begin", flags=flags, word=phrase)
        return 0

    async def stop(abort):
        tell("stop", abort=abort, audio=audio)

    async def hear(data, *_):
        nonlocal audio
        if not audio:
            tell("hears")
        audio += len(data)

    async def announced(a):
        tell("announced", success=a.success)

    cli.subscribe_voice_assistant(handle_start=begin, handle_stop=stop, handle_audio=hear,
                                  handle_announcement_finished=announced)
    tell("ready")
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        c = json.loads(line)
        do, id, value = c["do"], c.get("id"), c.get("value")
        if do == "switch":
            cli.switch_command(keys[id], value)
        elif do == "button":
            cli.button_command(keys[id])
        elif do == "number":
            cli.number_command(keys[id], value)
        elif do == "player":
            if "command" in value:
                value["command"] = esp.MediaPlayerCommand[value["command"]]
            cli.media_player_command(keys["media_player"], **value)
        elif do == "announce":
            r = await cli.send_voice_assistant_announcement_await_response(timeout=60, **value)
            tell("said", success=r.success)
        elif do == "timer":
            cli.send_voice_assistant_timer_event(esp.VoiceAssistantTimerEventType(value), "id", id, 60, 0, False)
        elif do == "words":
            c = await cli.get_voice_assistant_configuration(5)
            tell("words", active=c.active_wake_words, most=c.max_active_wake_words,
                 available=[w.id for w in c.available_wake_words])
        elif do == "heed":
            await cli.set_voice_assistant_configuration(value)
        elif do == "event":
            cli.send_voice_assistant_event(esp.VoiceAssistantEventType[id], value)
    await cli.disconnect()


asyncio.run(main(*sys.argv[1:]))
