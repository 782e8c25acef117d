package daemon_test

// layers says which packages of hearthd each package may import. A
// package that is not in the table fails. "*" means every one.
var layers = map[string][]string{
	"cmd/hearthd": {"config", "daemon", "daemon/api", "daemon/doctor", "daemon/ears", "daemon/engines",
		"daemon/probe", "daemon/secrets",
		"daemon/sentences", "daemon/state", "systemd"},
	// The commands of hearthctl that are more than a question to the daemon have rooms of
	// their own.
	"cmd/hearthctl": {"cmd/hearthctl/backup", "cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/doctor",
		"cmd/hearthctl/logs", "cmd/hearthctl/mic", "cmd/hearthctl/radio", "cmd/hearthctl/setup",
		"cmd/hearthctl/speech", "cmd/hearthctl/voice", "cmd/hearthctl/wake",
		"config", "daemon/api",
		"daemon/event", "daemon/health", "daemon/mqtt/contract", "daemon/refusal", "daemon/vitals", "tools",
		"tools/intent", "tools/phrase", "tools/when"},
	"cmd/hearthctl/backup": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "config", "config/files",
		"daemon/bundle", "tools"},
	"cmd/hearthctl/configfile": {"cmd/hearthctl/ctl", "config", "config/files", "daemon/api"},
	"cmd/hearthctl/ctl":        {"daemon/refusal"},
	"cmd/hearthctl/doctor": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/mic", "daemon/api",
		"daemon/doctor", "daemon/doctor/box", "daemon/health"},
	"cmd/hearthctl/logs": {"cmd/hearthctl/ctl"},
	"cmd/hearthctl/mic":  {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "daemon/api"},
	"cmd/hearthctl/radio": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "daemon/api", "media", "media/directory",
		"media/podcast", "media/source",
		"tools/fetch"},
	"cmd/hearthctl/setup": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/doctor",
		"cmd/hearthctl/mic",
		"cmd/hearthctl/wake", "config", "config/files", "daemon/api", "daemon/doctor/box", "daemon/mqtt/contract",
		"daemon/mqtt/find", "language", "tools/fetch", "tools/weather"},
	"cmd/hearthctl/speech": {"audio", "cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "config", "config/files",
		"config/letters", "daemon/api", "daemon/doctor", "daemon/refusal", "speech/catalogue", "speech/model",
		"speech/store", "speech/trial", "vad", "vad/neural", "vad/wake/remote"},
	"cmd/hearthctl/voice": {"cmd/hearthctl/ctl", "cmd/hearthctl/wake", "daemon/api"},
	"cmd/hearthctl/wake": {"cmd/hearthctl/configfile", "cmd/hearthctl/ctl", "cmd/hearthctl/mic", "config/input",
		"daemon/api", "daemon/refusal"},

	// Short texts are cut and compared in one place.
	"config/letters": {},
	// Files that a power cut spares.
	"config/files": {},
	// What is read from outside, and bounded before it is parsed.
	"config/input": {},

	// How models of speech lie on the box, for who runs them and who installs them.
	"speech/model": {"config/files", "config/input"},
	// Its process, so that hearthd is without what may crash.
	"cmd/hearth-speech": {"speech/model", "speech/server", "speech/sherpa", "speech/shelf", "systemd"},
	"speech/server":     {"audio", "config/letters", "llm/wyoming", "speech/model", "speech/shelf"},
	"speech/shelf":      {"speech/model"},
	// The library that recognises and makes speech, which nobody but hearth-speech loads.
	"speech/sherpa": {"speech/model"},
	// Which there are, how they come, and how they get there.
	"speech/catalogue": {"config/input", "config/letters", "speech/model"},
	"speech/fetch":     {"config/files", "config/letters"},
	"speech/unpack":    {"config/letters"},
	"speech/store":     {"config/files", "speech/catalogue", "speech/fetch", "speech/model", "speech/unpack"},
	"speech/trial":     {"audio", "config/letters", "llm/tts", "llm/wyoming"},

	"config":  {"config/files", "config/input", "config/letters", "language"},
	"memory":  {"config/files", "config/letters", "llm", "media"},
	"systemd": {"config/letters"},

	// What can be played; what makes samples of it; what plays it.
	"media":           {"config/files", "config/input"},
	"media/program":   {"audio", "llm/proc", "media"},
	"media/library":   {"config/letters", "media"},
	"media/podcast":   {"media", "tools/feed", "tools/fetch"},
	"media/directory": {"media", "tools/fetch"},
	"media/source":    {"llm/proc", "media", "tools/fetch"},
	"media/player":    {"audio", "media"},

	"audio":         {},
	"audio/aec":     {"audio", "audio/fourier"},
	"audio/cue":     {},
	"audio/device":  {"audio"},
	"audio/fourier": {},
	"audio/g722":    {},

	"vad":               {"audio"},
	"vad/neural":        {"audio/fourier", "vad"},
	"vad/silero":        {"audio/fourier", "config/input", "vad"},
	"vad/wake":          {"audio", "vad"},
	"vad/wake/enrolled": {"audio", "audio/fourier", "config/input", "vad/wake"},
	// A wake server speaks the protocol of the speech servers: its framing is
	// written once, and knows nothing of models.
	"vad/wake/remote": {"audio", "vad/wake", "llm/wyoming"},

	"vad/wake/micro":         {"audio", "config/input", "vad/wake", "vad/wake/micro/feature", "vad/wake/micro/tflite"},
	"vad/wake/micro/feature": {},
	"vad/wake/micro/tflite":  {},

	"llm":            {},
	"llm/ollama":     {"llm", "config/letters"},
	"llm/openai":     {"llm", "llm/speechapi"},
	"llm/proc":       {},
	"llm/live":       {"config/letters", "llm", "llm/realtime"},
	"llm/realtime":   {"audio", "llm", "llm/gone"},
	"llm/speechapi":  {"llm/gone", "config/letters"},
	"llm/stt":        {"audio", "config/letters", "llm", "llm/proc", "llm/speechapi", "llm/wyoming"},
	"llm/guard":      {"llm"},
	"llm/thinker":    {"config/input", "language", "llm", "llm/guard", "llm/thinker/relevance", "config/letters", "tools"},
	"llm/tts":        {"audio", "llm", "llm/gone", "llm/proc", "llm/speechapi", "llm/wyoming"},
	"llm/wyoming":    {"audio", "config/letters"},
	"tools":          {"config/input", "llm", "llm/proc", "config/letters", "tools/when"},
	"tools/calc":     {"llm", "tools", "tools/phrase"},
	"tools/calendar": {"config/files", "language", "llm", "tools", "tools/fetch", "tools/phrase", "tools/when"},
	"tools/clock":    {"language", "llm", "tools", "tools/phrase", "tools/when"},
	"tools/fetch":    {"tools", "tools/phrase"},
	// A language is a folder of data.
	"language":          {},
	"tools/phrase":      {"config/input", "language"},
	"tools/intent":      {"config/input", "language", "llm", "tools/intent/lang", "tools/when"},
	"tools/intent/lang": {"config/letters", "tools/when"},
	// The words for a house and its devices; what a request means there; what does it.
	"tools/home":            {"config/letters", "language", "tools/home/entrance"},
	"tools/home/meaning":    {"tools/home", "tools/when"},
	"tools/home/act":        {"llm", "tools", "tools/home", "tools/home/entrance", "tools/home/meaning", "tools/phrase", "tools/when"},
	"tools/home/discovery":  {"tools/home", "tools/home/template"},
	"tools/home/entrance":   {},
	"tools/home/hass":       {"config/letters", "tools", "tools/home"},
	"tools/home/template":   {},
	"tools/knowledge":       {"llm", "llm/proc", "tools", "tools/fetch", "tools/phrase"},
	"tools/list":            {"config/letters", "llm", "tools", "tools/phrase"},
	"tools/mcp":             {"llm", "llm/guard", "llm/proc", "tools", "config/letters"},
	"tools/media":           {"llm", "media", "media/library", "media/player", "tools", "tools/fetch", "tools/phrase"},
	"tools/medical":         {"llm", "tools", "tools/phrase"},
	"tools/feed":            {},
	"tools/news":            {"language", "llm", "tools", "tools/feed", "tools/fetch", "tools/phrase"},
	"tools/random":          {"llm", "tools", "tools/phrase"},
	"tools/pubmed":          {"llm", "tools", "tools/fetch", "tools/phrase"},
	"tools/remember":        {"language", "llm", "tools", "tools/phrase"},
	"tools/search":          {"llm", "tools", "tools/fetch", "tools/phrase"},
	"tools/stocks":          {"llm", "tools", "tools/fetch", "tools/phrase"},
	"tools/timer":           {"llm", "tools", "tools/phrase", "tools/when"},
	"tools/weather":         {"language", "llm", "tools", "tools/fetch", "tools/phrase", "tools/when"},
	"tools/units":           {"llm", "tools", "tools/phrase"},
	"llm/thinker/relevance": {"llm"},
	"llm/gone":              {"llm"},
	// Times and days are read and said in one place, by whoever has to do with them.
	"tools/when": {},
	// What a thinker ranks tools with.

	"daemon": {"*"},
	"daemon/control": {"audio", "daemon/api", "daemon/doctor", "daemon/event", "daemon/health", "daemon/refusal",
		"daemon/timeline", "daemon/visitors"},
	"daemon/control/web": {"config/files", "daemon/visitors"},
	// What crosses the control API, for the daemon, hearthctl and tests.
	"daemon/api": {"daemon/doctor", "daemon/event", "daemon/health"},
	// What a backup may hold, for hearthd, which gives it, and hearthctl, which writes it.
	"daemon/bundle": {"config/files"},
	"daemon/dialogue": {"tools/phrase", "audio", "audio/cue", "vad", "vad/wake", "llm", "llm/stt",
		"daemon/dialogue/answer", "daemon/dialogue/spoken", "daemon/event", "daemon/peer", "daemon/refusal",
		"daemon/voice"},
	// The answer of one turn.
	"daemon/dialogue/answer": {"tools/phrase", "daemon/queue", "audio", "audio/cue", "llm", "tools",
		"daemon/dialogue/spoken", "daemon/event", "daemon/voice"},
	// Speech on its way to a responder.
	"daemon/dialogue/spoken": {"audio", "llm"},
	// What is said, and what of it was heard.
	"daemon/voice": {"audio", "audio/cue"},
	// What is found wrong, for hearthctl and for what only the daemon can try.
	"daemon/doctor":     {},
	"daemon/doctor/box": {"daemon/doctor", "daemon/vitals"},
	"daemon/event":      {},
	"daemon/health":     {"daemon/event"},
	// The box as a satellite of Home Assistant.
	"daemon/esphome": {"daemon/event", "daemon/health", "daemon/queue", "daemon/visitors", "llm"},
	"daemon/hooks":   {"daemon/event", "llm/proc"},
	"daemon/keys":    {"daemon/queue"},
	"daemon/journal": {"daemon/queue", "config/letters", "daemon/api", "daemon/event", "daemon/health", "memory",
		"systemd"},
	"daemon/lights": {"daemon/event"},
	// What the box hears with.
	"daemon/ears": {"daemon/queue", "config/files", "audio", "audio/aec", "audio/device", "vad", "vad/neural",
		"vad/silero", "vad/wake", "vad/wake/enrolled", "vad/wake/micro", "vad/wake/remote", "daemon/api",
		"daemon/health", "daemon/listen", "daemon/refusal", "daemon/supervise"},
	"daemon/peer":    {"daemon/queue", "daemon/mqtt/contract"},
	"daemon/listen":  {"audio", "vad", "vad/wake"},
	"daemon/metrics": {"daemon/event", "daemon/health"},
	"daemon/mqtt": {"daemon/queue", "daemon/api", "daemon/event", "daemon/health", "daemon/mqtt/contract",
		"daemon/mqtt/find", "daemon/refusal", "daemon/visitors", "config/input"},
	// Who serves in the local network, for the bridge and for hearthctl setup.
	"daemon/mqtt/find": {},
	// What is promised, for the bridge and for hearthctl, without an MQTT library.
	"daemon/mqtt/contract": {"config/input"},
	"daemon/talk":          {"daemon/queue", "audio", "audio/g722"},
	"daemon/timeline":      {"audio", "daemon/event", "config/letters"},
	"daemon/trace":         {"daemon/queue", "daemon/timeline"},
	"daemon/vitals":        {},
	// What is remembered, for people, models and the control API.
	"daemon/recall": {"daemon/queue", "llm", "llm/thinker", "memory", "tools/phrase", "tools/remember", "daemon/api",
		"daemon/refusal"},
	// Who speaks, told by their voices.
	"daemon/prints": {"audio", "config/letters", "daemon/api", "daemon/health", "daemon/refusal", "llm/wyoming", "memory"},
	// Keys and passwords.
	"daemon/secrets": {"config", "config/files", "config/input", "daemon/health", "daemon/mqtt/contract", "systemd"},
	// Who hears, speaks and thinks, as the configuration names them.
	"daemon/engines": {"daemon/queue", "audio", "config", "daemon/ears", "daemon/event", "daemon/health", "daemon/secrets",
		"daemon/supervise", "daemon/voice", "llm", "llm/gone", "llm/ollama",
		"llm/openai", "llm/stt", "llm/thinker", "llm/tts", "vad"},
	// What people may say, and the recogniser that learns it.
	"daemon/sentences": {"config", "daemon/health", "daemon/mqtt/contract", "language", "llm", "llm/stt", "tools",
		"tools/intent", "tools/phrase", "tools/when"},
	// Who answers in words.
	"daemon/thinkers": {"tools/phrase", "config", "daemon/api", "daemon/health", "daemon/supervise", "llm",
		"llm/thinker"},
	// Who answers by speech, what may go there, and what it costs.
	"daemon/responder": {"tools/phrase", "daemon/queue", "config", "config/letters", "daemon/dialogue/spoken", "daemon/health",
		"daemon/mqtt/contract",
		"daemon/supervise", "llm", "llm/gone", "llm/guard", "llm/live", "llm/realtime", "llm/thinker", "memory",
		"tools", "tools/when"},
	// What only the daemon's own code can try.
	"daemon/probe": {"audio", "audio/device", "config", "daemon/api", "daemon/doctor", "daemon/ears",
		"daemon/engines", "daemon/event",
		"daemon/health", "daemon/mqtt", "daemon/mqtt/contract", "daemon/secrets", "daemon/sentences",
		"daemon/supervise", "daemon/thinkers", "daemon/voice",
		"llm", "llm/live", "llm/ollama", "llm/realtime", "llm/stt", "llm/tts", "tools", "tools/intent", "vad", "vad/wake", "tools/calendar"},
	// The other boxes, and the tools that reach them.
	"daemon/sharing": {"tools/phrase", "audio", "config", "daemon/mqtt", "daemon/mqtt/contract", "daemon/peer", "daemon/refusal", "llm",
		"tools", "tools/intent", "tools/timer"},
	// What the box plays.
	"daemon/music": {"audio", "daemon/event", "daemon/health", "daemon/supervise", "llm", "media", "media/library",
		"media/player", "media/program", "memory", "tools/intent"},
	// Who speaks, and the tools for them.
	"daemon/speakers": {"tools/phrase", "config/letters", "daemon/dialogue/answer", "llm", "llm/thinker", "tools"},
	// Timers, alarms, reminders and orders, the clock, and what rings.
	"daemon/timers": {"daemon/queue", "daemon/event", "daemon/health", "daemon/supervise", "daemon/wallclock",
		"memory", "tools/phrase", "tools/timer", "tools/when"},
	// The devices of the home, as the box offers them.
	"daemon/devices": {"config", "daemon/api", "daemon/dialogue/answer", "daemon/health", "daemon/refusal",
		"daemon/supervise", "llm", "memory", "tools",
		"tools/home", "tools/home/act", "tools/intent", "tools/phrase", "tools/timer"},
	// What must not be lost, and its backup.
	"daemon/state": {"daemon/bundle", "daemon/event", "daemon/health", "memory"},
	// What people chose.
	"daemon/settings": {"daemon/event", "daemon/mqtt/contract", "daemon/refusal", "memory"},
	// How commands are refused.
	"daemon/refusal": {},
	// What systemd is told, and how little memory the process keeps.
	"daemon/manager":   {"daemon/ears", "daemon/event", "daemon/health", "systemd"},
	"daemon/footprint": {},
	// Connections of strangers give way to those of people who are known.
	"daemon/visitors": {},
	// Queues that nobody waits for.
	"daemon/queue":     {},
	"daemon/supervise": {},
	"daemon/wallclock": {},

	// What only tests, benches and the demo use. No other package imports one.
	"rigs/ctltest":     {},
	"rigs/archivetest": {},
	"rigs/e2e":         {"audio", "llm/tts", "rigs/testcard"},
	"rigs/e2e/demo":    {"audio", "llm/tts", "rigs/e2e", "rigs/testcard"},
	"rigs/fleet":       {"daemon/event", "daemon/health", "daemon/mqtt", "daemon/mqtt/contract"},
	"rigs/hearing":     {"audio", "daemon/ears", "rigs/hearing/bed", "vad"},
	"rigs/hearing/bed": {"audio"},
	"rigs/hearing/bench": {"audio", "audio/aec", "config", "daemon/ears", "daemon/engines", "llm", "llm/stt", "rigs/hearing",
		"rigs/hearing/bed", "tools/intent", "vad", "vad/neural", "vad/silero", "vad/wake/enrolled"},
	"rigs/journaltest":       {},
	"rigs/llmtest":           {},
	"rigs/llmtest/gguf":      {},
	"rigs/llmtest/oracle":    {},
	"rigs/llmtest/real":      {"rigs/llmtest/gguf"},
	"rigs/memorytest":        {"memory"},
	"rigs/testcard":          {},
	"rigs/speechtest":        {"audio"},
	"rigs/speechtest/choose": {"audio", "config", "daemon/sentences", "llm", "llm/stt", "rigs/hearing/bed", "tools/intent"},
	"rigs/tflitetest":        {},
	"rigs/toolstest":         {"llm", "tools", "tools/phrase"},
	"rigs/year":              {"media", "memory"},
	"rigs/thinkertest":       {"config", "daemon/thinkers", "llm", "llm/thinker", "tools"},
}

// inTests says what the tests of a package may import beside that and the rigs: the
// real parts that a fake would stand for.
var inTests = map[string][]string{
	"*":                    {"audio", "tools/phrase"},
	"cmd/hearthctl/logs":   {"systemd"},
	"daemon/dialogue":      {"llm/tts", "tools"},
	"daemon/ears":          {"daemon/dialogue", "daemon/event"},
	"daemon/listen":        {"vad/neural"},
	"daemon/mqtt":          {"tools/home/template"},
	"daemon/trace":         {"daemon/event"},
	"cmd/hearth-speech":    {"llm/stt"},
	"speech/server":        {"llm/stt", "llm/tts"},
	"tools/intent":         {"llm/stt"},
	"tools/home/hass":      {"llm", "tools/list"},
	"tools/knowledge":      {"memory"},
	"tools/list":           {"memory"},
	"tools/timer":          {"memory"},
	"tools/when":           {"tools/phrase"},
	"cmd/hearthctl/doctor": {"daemon/event"},
	"daemon/secrets":       {"daemon/event"},
	"daemon/devices":       {"daemon/event"},
	"daemon/sentences":     {"daemon/event"},
	"daemon/prints":        {"daemon/event"},
	"daemon/settings":      {"memory"},
	"speech/catalogue":     {"speech/fetch"},
	"daemon/responder":     {"daemon/engines", "daemon/event", "daemon/thinkers", "memory"},
	"daemon/thinkers": {"daemon/engines", "daemon/event", "daemon/recall", "daemon/secrets", "memory", "tools",
		"tools/home", "tools/home/hass"},
	"cmd/hearthctl/speech":  {"llm/wyoming"},
	"vad":                   {"vad/neural"},
	"vad/wake/micro/tflite": {"vad/wake/micro/feature"},
	"media/player":          {"media/source", "tools/fetch"},
	"rigs/e2e":              {"*"},
	"rigs/hearing":          {"audio/cue", "vad/neural"},
	"rigs/llmtest":          {"llm/wyoming"},
	"rigs/llmtest/oracle":   {"llm", "llm/live", "llm/realtime"},
	"rigs/llmtest/real":     {"llm", "llm/ollama", "llm/openai", "llm/thinker", "tools"},
}
