package contract

// Commands that are no setting. A setting is set by a command with the name of its topic.
const (
	Say      = "say"
	Announce = "announce"
	Ask      = "ask"
	Listen   = "listen"
	Stop     = "stop"
	Repeat   = "repeat"
	Timer    = "timer"
	Tool     = "tool"
	Restart  = "restart"
)

// What the wake word may be set to, beside a name.
const (
	AllWords = "all"
	Phrase   = "phrase"
)

// What the policy may be set to.
const (
	Auto  = "auto"
	Local = "local"
)

// TimerActions are what a timer command may do.
func TimerActions() []string { return []string{"set", "cancel", "change", "pause", "resume"} }

// MediaActions are what a media command may do.
func MediaActions() []string {
	return []string{"play", "pause", "resume", "stop", "next", "previous", "volume", "sleep"}
}

// MaxTimer is the longest that a timer command takes, in seconds: a week.
const MaxTimer = 7 * 24 * 3600

// MaxSleep is the longest that media may be told to play on, in seconds: a day. MaxStation bounds the
// name of a station, in bytes.
const (
	MaxSleep   = 24 * 3600
	MaxStation = 80
)

// MaxLabel bounds the label of a timer, in bytes.
const MaxLabel = 40

// Settings are what a person may change and what is then kept.
type Settings struct {
	Muted, DND bool
	Volume     int    // percent
	WakeWord   string // AllWords, Phrase, or a name
	Policy     string // Auto or Local
}
