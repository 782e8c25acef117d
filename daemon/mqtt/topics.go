package mqtt

// The last levels of the topics, under PREFIX/NODE. Every one of them, and every
// command, stands in packaging/mqtt.md.
const (
	levelAvailability = "availability"
	levelState        = "state"
	levelTimers       = "timers"
	levelTurn         = "turn"
	levelEvent        = "event"
	levelResult       = "result"
	levelSet          = "set" // a command is one level below
)

// The commands.
const (
	cmdSay      = "say"
	cmdAnnounce = "announce"
	cmdAsk      = "ask"
	cmdListen   = "listen"
	cmdStop     = "stop"
	cmdMute     = "mute"
	cmdVolume   = "volume"
)

// What availability says.
const (
	payloadOnline  = "online"
	payloadOffline = "offline"
)

// topic is the whole name of a topic of this box.
func (b *Bridge) topic(level string) string {
	return b.opt.Prefix + "/" + b.opt.Node + "/" + level
}
