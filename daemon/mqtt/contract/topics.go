package contract

// The last levels of the topics, under PREFIX/NODE.
const (
	Availability = "availability"
	About        = "about"
	State        = "state"
	Health       = "health"
	Awake        = "awake"
	Speech       = "speech"
	Mute         = "mute"
	DND          = "dnd"
	Volume       = "volume"
	WakeWord     = "wake"
	Policy       = "policy"
	Route        = "route"
	Timers       = "timers"
	NextTimer    = "next_timer"
	Vitals       = "vitals"
	Turn         = "turn"
	Event        = "event"
	Yielded      = "yielded"
	Result       = "result"
	Set          = "set" // a command is one level below
)

// Payloads of availability, and of what is on or off.
const (
	Online  = "online"
	Offline = "offline"
	On      = "ON"
	Off     = "OFF"
)

// Topic is a topic that a box publishes.
type Topic struct {
	Level    string
	Retained bool
	Payload  string // Markdown, for a person
	When     string
}

// Topics are all topics. The retained ones are published in this order at every
// connection: who sees "online" can rely on the others.
func Topics() []Topic {
	const change = "at every change; at every connection"
	return []Topic{
		{About, true, "JSON object: `contract` (the version of this contract, 1), `version` (of hearthd), `installed` (the version on the disk, which runs after a restart), `node`, `house`, `area` and `groups` (of the configuration, if they are set), `commands` (those that are obeyed)", "at every connection; when another version was installed"},
		{State, true, "`starting`, `idle`, `listening`, `thinking`, `tool_calling`, `speaking`, `muted` or `faulted`", change},
		{Health, true, "JSON object: `ok`, a boolean, and `conditions`, an array of `code`, `severity` (`warning` or `error`), `text` and `since`", change},
		{Awake, true, "`ON` from a wake word, a button or an interruption until the box rests again, else `OFF`", change},
		{Speech, true, "`ON` while somebody speaks, else `OFF`", change},
		{Mute, true, "`ON` while the microphone is closed by a person, else `OFF`", change},
		{DND, true, "`ON` while only what is urgent is announced because somebody said so, else `OFF`; quiet hours do not show here", change},
		{Volume, true, "percent, 0 to 100", change},
		{WakeWord, true, "the wake word that is heeded: `all`, `phrase`, or its name", change},
		{Policy, true, "what may go to the responder: `auto`, what the configuration allows, or `local`, nothing (so where there is no responder)", change},
		{Route, true, "JSON object, the last turn that a person began, without its words: `route` (`intent`, `home_assistant`, `local`, `cloud` or `none`), `intent`, `thinker`, `source`, `woken_by`, `outcome`, `turn`, `time`, `first_sound_ms` (end of speech to the answer) and `total_ms`; `{}` before the first", "at the end of a turn; at every connection"},
		{Timers, true, "JSON array of timers, alarms, reminders and orders for later, the next one first: `id`, `kind` (`timer`, `alarm`, `reminder` or `order`), `label` (if any), `ends` (RFC 3339), `left_s` (of one that is paused, seconds), `repeat` (RRULE of RFC 5545, if it comes again)", change},
		{NextTimer, true, "JSON object: the first of `timers` that is not paused; `{}` if there is none", change},
		{Vitals, true, "JSON object: `uptime_s` (seconds), `temperature_c` (of the processor, °C, if it can be read), `memory_mb` (resident, 10⁶ bytes), `cpu_percent` (of one core, since the last time), `frames` (20 ms each) and `dropped` (samples) of the microphone since the start, `broker_ms` (publish to acknowledgement, once it is known), `spent_today` and `spent_month` (what the responder has cost, in the currency of its prices, if there is one)", "every minute; at every connection"},
		{Availability, true, "`online` or `offline`", "at every connection, after the other retained topics; `offline` at a clean end, and as the last will"},
		{Event, false, "JSON object: `timer_fired` with the `timer` as above and `missed` when it ended while hearthd was off, `ring_resumed` with the `timers` that rang when the box went off and ring on, or `ring_ended` with the ids of the `timers` and the `reason`, `stopped`, `silenced`, `limit` or `told` (once, long after its time)", "when something rings, and when it does not any more"},
		{Yielded, false, "JSON object: `box`, which answers instead, and `reason`, `another box answered`", "when this box heard the wake word and another one of the house answers"},
		{Turn, false, "JSON object, one for each finished turn; times in milliseconds; `transcript` and `answer` only if the configuration shows them, and never when something was forgotten; `sources` (`title` and `url`) are what the answer rests on; `cached` when the answer was kept from before", "at the end of a turn"},
		{Result, false, "JSON object, the answer to a command: `command`, `id` (if one came), `ok`, `error` (if not), `text` (of `timer`: what was done), `turn` (of `ask`, with `transcript` and `answer` always: name a `reply` if others must not read them)", "after a command that names no topic of its own"},
	}
}
