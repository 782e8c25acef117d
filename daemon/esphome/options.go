package esphome

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// Options say who the box is, who may connect, and what can be done with it.
type Options struct {
	Listen string // HOST:PORT
	// Key is that of the encryption, as Key reads it; nil: nothing is encrypted, and Listen is on loopback.
	Key     []byte
	Node    string // in the network: letters, digits and hyphens
	Name    string // for people
	MAC     string // identifies the box, AA:BB:CC:DD:EE:FF
	Version string
	Area    string // suggested to Home Assistant; may be empty
	Words   []string
	Begin   State // as it is at the start

	Bus        *event.Bus
	Conditions *health.Conditions
	Box        box
	Player     player
	Open       opener
	Log        *slog.Logger
}

// State is what Home Assistant is shown.
type State struct {
	State      event.State
	Muted, DND bool
	Volume     int    // percent
	Word       string // one of Words
	Media      event.Media
	Timers     []event.Timer
	problem    bool
	announcing int // announcements of Home Assistant
}

// box carries out what Home Assistant asks for. An error with a method Refused is for the log alone.
type box interface {
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	// Repeat says once more what was said last.
	Repeat(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetDND(ctx context.Context, on bool) error
	SetVolume(ctx context.Context, percent int) error
	SetWakeWord(ctx context.Context, word string) error
	// Rings lets a timer ring that has ended in Home Assistant.
	Rings(ctx context.Context, name string) error
	// Say says a text when the room is free for it, and returns when it has been heard.
	Say(ctx context.Context, text string) error
	// Sound does so with samples, mono at Rate.
	Sound(ctx context.Context, samples []int16) error
	// Converse listens for an answer, which goes to Home Assistant.
	Converse(ctx context.Context) error
}

// player plays radio and music. None of its methods waits for what it began.
type player interface {
	Play(url string)
	Pause() bool
	Resume() bool
	Stop() bool
	Skip(n int) bool
	SetVolume(percent int)
}

// opener fetches and decodes what is at an address: mono samples of 16 bits, little endian, at a rate.
type opener func(ctx context.Context, url string, rate int) (io.ReadCloser, error)

// Rate is that of what is announced, in samples per second.
const Rate = 16000

// Local reports whether nobody but this machine can connect to an address.
func Local(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

func (o *Options) check() error {
	switch {
	case o.Bus == nil || o.Conditions == nil || o.Box == nil || o.Player == nil || o.Open == nil || o.Log == nil:
		return errors.New("new satellite: a part is missing")
	case o.Node == "" || o.MAC == "" || len(o.Words) == 0:
		return errors.New("new satellite: node, MAC and wake words are needed")
	case o.Key != nil && len(o.Key) != 32:
		return errors.New("new satellite: the key has not 32 bytes")
	case o.Key == nil && !Local(o.Listen):
		return errors.New("new satellite: who listens beyond this machine needs a key")
	}
	return nil
}
