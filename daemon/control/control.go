// Package control serves the control API: HTTP with JSON and server-sent events
// on a unix socket, for hearthctl and whatever else runs on the box. It owns the
// goroutines of its HTTP server and waits for them, and no buffer but the bodies
// of the requests. It must not import the dialogue: commands go through an
// interface, facts come from the event bus.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"

	"hearthd/daemon/api"
	"hearthd/daemon/event"
	"hearthd/daemon/timeline"
	"hearthd/daemon/visitors"
)

// configuration is that of the daemon.
type configuration interface {
	// Show returns the configuration in force and that in the files.
	Show(ctx context.Context) (api.Configuration, error)
	// Reload reads the files again. Mistakes in them are no error.
	Reload(ctx context.Context) (api.Reloaded, error)
}

// speaker carries out commands.
type speaker interface {
	// Announce speaks text when the turn that is going on has ended, with an earcon
	// before it for a chime. Urgent texts go first, and in quiet hours too.
	Announce(ctx context.Context, text string, chime, urgent bool) error
	// AskAs is a request of a person whom the configuration names, or, without a
	// name, of the household.
	AskAs(ctx context.Context, person, text, question string) (*event.Turn, error)
	Listen(ctx context.Context) error
	Stop(ctx context.Context) error
	SetMuted(ctx context.Context, muted bool) error
	SetVolume(ctx context.Context, percent int) error
}

// ErrNoBroker is the error of a box that joins another broker, or none.
const ErrNoBroker notFound = "there is no broker of its own: mqtt.broker is not embedded"

// Options are what the API works with.
type Options struct {
	Listener net.Listener // the unix socket; Run closes it
	// Kept are streams of events that an earlier process handed to its Keep; Run continues them and
	// closes them.
	Kept []net.Conn
	// Keep hands a stream to the next process; after an error, or without Keep, the stream ends.
	Keep    func(syscall.Conn) error
	Speaker speaker
	Bus     *event.Bus
	Status  func(ctx context.Context) (api.Status, error)
	// Meter gives readings of the microphone, ten a second while it hears, until
	// ctx ends. One that is not taken in time is dropped.
	Meter    func(ctx context.Context) <-chan api.Meter
	Wake     wakeWords
	Voices   voices
	Memory   memories
	Thinkers func() []api.Thinker
	Lists    func(ctx context.Context) (map[string][]string, error) // all, with their items
	Tools    toolbox
	// Backup yields the files of the state, one after the other; an error that the caller has to
	// hear of comes before the first.
	Backup        func(ctx context.Context, give func(name string, size int64, from io.Reader) error) error
	Configuration configuration
	Household     household
	Lines         logTail
	// Turns gives turns that are over, with what happened in them.
	Turns func(timeline.Query) []timeline.Turn
	// Sounds are recordings of the requests of turns, where the owner wants them kept.
	Sounds *timeline.Sounds
	// Console is where the web page is.
	Console func() api.Console
	// Broker is how to join our own broker, or ErrNoBroker.
	Broker func() (api.Broker, error)
	// Withdraw removes the box from Home Assistant.
	Withdraw func(ctx context.Context) error
	// Fleet are all boxes on the broker.
	Fleet func(ctx context.Context) ([]api.Box, error)
	// Probe makes a check of hearthctl doctor, or none for "".
	Probe func(ctx context.Context, check string, cold bool) (api.Probed, error)
	Log   *slog.Logger
}

// Server is the API.
type Server struct {
	opt     Options
	streams chan struct{} // holds one value for each open stream
	pages   chan struct{} // the same for each page that looks
	handler http.Handler
}

// New checks the options.
func New(opt Options) (*Server, error) {
	if slices.Contains([]bool{
		opt.Listener == nil, opt.Speaker == nil, opt.Bus == nil, opt.Status == nil, opt.Meter == nil,
		opt.Wake == nil, opt.Memory == nil, opt.Thinkers == nil, opt.Lists == nil, opt.Tools == nil,
		opt.Withdraw == nil, opt.Fleet == nil, opt.Configuration == nil,
		opt.Probe == nil, opt.Console == nil, opt.Broker == nil, opt.Backup == nil, opt.Turns == nil,
		opt.Sounds == nil, opt.Log == nil, opt.Household == nil, opt.Lines == nil,
	}, true) {
		return nil, errors.New("new control server: a part is missing")
	}
	s := &Server{opt: opt, streams: make(chan struct{}, maxStreams), pages: make(chan struct{}, maxPages)}
	s.handler = s.routes()
	return s, nil
}

// Handler answers the requests of the API, for other listeners beside the socket.
func (s *Server) Handler() http.Handler { return s.handler }

// Run serves until ctx ends; requests and event streams end with it. It closes
// the listener, so it runs once.
func (s *Server) Run(ctx context.Context) error {
	// So that the end of the server can be told from a client that ended.
	base, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, func() { end(errEnding) })()
	defer end(nil)
	var streams sync.WaitGroup
	for _, c := range s.opt.Kept {
		streams.Go(func() { s.resume(base, c) })
	}
	err := visitors.Serve(base, newLimited(s.opt.Listener, maxClients), nil, s.handler,
		s.opt.Log.With("component", "control"))
	end(err)
	streams.Wait()
	if err != nil {
		return fmt.Errorf("serve control socket: %w", err)
	}
	return nil
}

// household is what people change by hand.
type household interface {
	// CancelTimer ends a timer, an alarm or a reminder, and reports whether there was
	// one.
	CancelTimer(ctx context.Context, id int64) (bool, error)
	// ChangeList returns the list as it is afterwards.
	ChangeList(ctx context.Context, c api.ListChange) ([]string, error)
	// ReadStations has the radio stations known that the household's file has now.
	ReadStations()
	// Devices are those that were found, and documents that were not understood.
	Devices() (list []api.Device, skipped []string)
	// SetEntrance marks a device, by its ID, as one that lets people into the house or
	// not; nil takes the mark back.
	SetEntrance(ctx context.Context, id string, is *bool) error
	// Explain says what a sentence starts without a model, and why.
	Explain(text string) any
	SetPolicy(ctx context.Context, policy string) error
	SetDND(ctx context.Context, on bool) error
	Hearing() api.Hearing
	Engines() (api.Engines, error)
	InstallSpeech() error
	// Tune refuses what the configuration would refuse.
	Tune(h api.Hearing) error
}

// logTail is the end of the log.
type logTail interface {
	// Lines gives what is kept, the oldest first: all, or that of a turn.
	Lines(turn uint64) []api.LogLine
	// Watch gives further lines until ctx ends. One that is not taken in time is
	// dropped.
	Watch(ctx context.Context) <-chan api.LogLine
}

// memories is the store of what is remembered.
type memories interface {
	// Remembered gives what is remembered, the newest first, or what answers a
	// search, the best first.
	Remembered(ctx context.Context, search string, limit int) ([]api.Memory, error)
	// Export yields everything that is remembered.
	Export(ctx context.Context) iter.Seq2[api.Memory, error]
	// Import adds entries, and gives how many were new or changed.
	Import(ctx context.Context, entries []api.Memory) (int, error)
	// Forget erases, and gives how many entries are gone.
	Forget(ctx context.Context, what api.Forget) (api.Counted, error)
}

// toolbox runs and lists the tools. A run that went wrong is an outcome; an error says that there
// was no run.
type toolbox interface {
	Tools() []api.Tool
	RunTool(ctx context.Context, run api.ToolRun) (api.ToolOutcome, error)
	// ToolChanges are tools of servers whose descriptions have changed. AcceptTool agrees to one.
	ToolChanges() []api.ToolChange
	AcceptTool(ctx context.Context, a api.ToolAcceptance) error
}

// wakeWords keeps the wake words.
type wakeWords interface {
	// List names the words of the configuration, and the models that are installed.
	List(ctx context.Context) ([]api.Word, error)
	// Install keeps a microWakeWord model under a name: its manifest, JSON, and its network. A
	// model that does not work is refused, and replaces nothing.
	Install(ctx context.Context, name string, manifest, network []byte) (api.Word, error)
	// Enroll records a word a few times and keeps it. The sequence ends with the
	// step done, or with an error.
	Enroll(ctx context.Context, name string) iter.Seq2[api.EnrollStep, error]
	// Tune finds the cutoff of a phrase in the talk that the box hears.
	Tune(ctx context.Context, of api.Tune) iter.Seq2[api.TuneStep, error]
}
