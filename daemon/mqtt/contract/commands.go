package contract

import (
	"slices"
	"time"
)

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

// MaxTimer is the longest that a timer command takes, in seconds: a week.
const MaxTimer = 7 * 24 * 3600

// MaxLabel bounds the label of a timer, in bytes.
const MaxLabel = 40

// Command is a command that a box obeys.
type Command struct {
	Name   string
	Plain  string // the payload that is no JSON object, in Markdown
	Fields string
	Effect string
	// Rate limit: Burst at once, and then one in each Every.
	Burst int
	Every time.Duration
	// Asked: obeyed only if the configuration names it.
	Asked bool
}

// Commands are all of them.
func Commands() []Command {
	return []Command{
		{Say, "the text", "`text`, a string; `chime`, a boolean; `priority`, `normal` or `urgent`", "1 to 2000 bytes are spoken when the turn that is going on has ended; what is urgent goes first, and in quiet hours too", 10, 2 * time.Second, false},
		{Announce, "the text", "as of `set/say`; `sound`, base64 of a WAV file (PCM of 16 bits)", "the same, with a chime unless `chime` is false; up to 15 s of `sound` are played after the chime and the text, which may be missing then", 10, 2 * time.Second, false},
		{Ask, "the question", "`text`, a string; `question`, a string", "1 to 2000 bytes; the answer comes with the document of the turn; if that has a `question`, `yes` as the next request within a minute, with the same `question`, is a yes", 20, 2 * time.Second, false},
		{Listen, "anything but an empty payload, such as `ON`", "–", "opens a turn, as a button does", 5, 2 * time.Second, false},
		{Stop, "anything", "–", "ends the turn and what rings, silences the speaker", 20, time.Second, false},
		{Repeat, "anything but an empty payload", "–", "says once more what was said last", 5, 2 * time.Second, false},
		{Mute, "`ON` or `OFF`", "`muted`, a boolean", "closes or opens the microphone", 10, time.Second, false},
		{DND, "`ON` or `OFF`", "`on`, a boolean", "do not disturb: only what is urgent is announced, until it is switched off", 10, time.Second, false},
		{Volume, "a whole number", "`percent`, a whole number", "0 to 100", 20, 200 * time.Millisecond, false},
		{Timer, "seconds, a whole number: sets a timer", "`action`: `set` (the default), `cancel`, `change`, `pause` or `resume`; `seconds`, a whole number; `label`, a string; `all`, a boolean (of `cancel`, `pause` and `resume`)", "1 to 604800 seconds and a label of 40 bytes; `change` sets what is left; the answer's `text` says what was done", 20, time.Second, false},
		{Tool, "–", "`tool`, a string; `arguments`, an object", "does with timers or lists what another box of the house was asked; only timers if `mqtt.share_timers` says so, lists if `mqtt.lists_at` names this box; the answer's `text` says what was done", 20, time.Second, false},
		{WakeWord, "`all`, `phrase` or the name of a wake word of the configuration", "`word`, a string", "which wake word opens a turn; stop words are always heard", 5, 2 * time.Second, false},
		{Route, "`auto` or `local`", "`policy`, a string", "what may go to the responder: `auto`, what the configuration allows; `local`, nothing; refused where there is no responder", 5, 2 * time.Second, false},
		{Restart, "`ON`", "–", "ends hearthd, which systemd starts again; only if `mqtt.commands` names it", 1, time.Minute, true},
	}
}

// Find gives a command by its name.
func Find(name string) (Command, bool) {
	list := Commands()
	i := slices.IndexFunc(list, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return list[i], true
}
