package mqtt

import (
	"context"
	"log/slog"
	"time"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt/contract"
)

// Options say which broker, and who this box is.
type Options struct {
	// Broker is contract.Embedded, NoBroker, MDNS or MDNSTLS, or an address: mqtt://HOST[:PORT], mqtts
	// for TLS, and ws or wss for WebSocket, with a path.
	Broker string
	Listen string // address of the embedded broker
	// User and Password identify this box; the embedded broker, which needs them, accepts nobody else.
	User     string
	Password string
	CAFile   string // PEM; empty: the system's certificates
	CertFile string // PEM of a client certificate, with KeyFile
	KeyFile  string
	// Device describes the box: its topics, the commands that it accepts, and what Home Assistant
	// learns of it, if Discovery says so.
	Device    contract.Device
	Discovery bool
	// Former is the box as it was called before, and Retired is told when the broker has nothing more of one.
	Former  []contract.Device
	Retired func(ctx context.Context, former contract.Device)
	Begin   contract.Settings // as they are at the start
	Media   event.Media       // so too

	Bus        *event.Bus
	Conditions *health.Conditions
	Speaker    speaker
	Host       host
	Vitals     func() Vitals
	Installed  func(ctx context.Context) string // version on the disk
	Feeds      []*Feed                          // for the devices of the home, and for the other boxes
	Log        *slog.Logger
}

// Vitals are measurements of the box itself. The bridge adds the round trip to the broker.
type Vitals struct {
	UptimeS      int64    `json:"uptime_s"`
	TemperatureC *float64 `json:"temperature_c,omitempty"`
	MemoryMB     float64  `json:"memory_mb"`
	CPUPercent   float64  `json:"cpu_percent"`
	Frames       uint64   `json:"frames"`
	Dropped      uint64   `json:"dropped"` // samples
	BrokerMS     *float64 `json:"broker_ms,omitempty"`
	// What the responder has cost, in its currency; nil: there is none.
	SpentToday *float64 `json:"spent_today,omitempty"`
	SpentMonth *float64 `json:"spent_month,omitempty"`
}

// speaker carries out commands. An error with a method Refused is for the one
// who sent the command.
type speaker interface {
	// AnnounceAt says text at a moment, or, if that is zero, as soon as it can.
	AnnounceAt(ctx context.Context, text string, chime, urgent bool, at time.Time) error
	// PlayAt plays a WAV file after text, which may be empty, as AnnounceAt says a text.
	PlayAt(ctx context.Context, text string, wav []byte, urgent bool, at time.Time) error
	AskAs(ctx context.Context, person, text, question string) (*event.Turn, error)
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetVolume(ctx context.Context, percent int) error
}

// host carries out what is not for the dialogue. An error with a method Refused is for the one who sent the
// command.
type host interface {
	// Repeat says once more what was said last.
	Repeat(ctx context.Context) error
	SetDND(ctx context.Context, on bool) error
	SetWakeWord(ctx context.Context, word string) error
	SetPolicy(ctx context.Context, policy string) error
	// Timer does what o says, and returns a sentence about it.
	Timer(ctx context.Context, o TimerOrder) (string, error)
	// Media does what o says with radio and music, and returns a sentence about it.
	Media(ctx context.Context, o MediaOrder) (string, error)
	// Tool runs a tool that is shared with the other boxes, and returns a sentence about it.
	Tool(ctx context.Context, name string, arguments []byte) (string, error)
	// Restart ends the daemon a moment later, so that the answer is still sent.
	Restart(ctx context.Context) error
}

// MediaOrder is what is to be done with radio and music.
type MediaOrder struct {
	Action  string // one of contract.MediaActions
	Station string // of play; empty: what played last
	Percent *int   // of volume
	Seconds *int   // of sleep
}

// TimerOrder is what is to be done with timers.
type TimerOrder struct {
	Action  string // one of contract.TimerActions
	Seconds int    // of set and change
	Label   string
	All     bool
}
