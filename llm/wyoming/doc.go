// Package wyoming reads and writes the messages of Wyoming, the voice protocol
// of the Home Assistant world (https://github.com/OHF-Voice/wyoming, version
// 1.9): one line of JSON, then an optional block of JSON, then an optional
// payload. It knows framing, connections and the audio format; what the
// messages mean is known by llm/stt and llm/tts.
//
// Every length that a peer states is capped. The package runs no goroutine and
// imports nothing of hearthd but audio and config/letters.
package wyoming
