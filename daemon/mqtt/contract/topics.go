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
	Media        = "media"
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
