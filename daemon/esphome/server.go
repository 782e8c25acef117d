package esphome

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/visitors"
)

const (
	// maxClients bounds the connections; a Home Assistant has one.
	maxClients = 8
	// again is the time after which an address that is taken, or a network that is not there, is tried again.
	again = 5 * time.Second
	// condition is the code of what is wrong with the listener.
	condition = "satellite"
)

// Server is the satellite.
type Server struct {
	opt      Options
	events   *event.Subscription
	entities []entity
	limits   map[uint64]*rate.Limiter // by message; what is not in it is not limited
	lines    *rate.Limiter            // of the log, that whoever connects can cause

	mu       sync.Mutex
	now      State
	sessions map[*session]bool
	voice    *session // that runs pipelines; nil: none does
	run      *Run     // the pipeline that runs; nil: none does
	word     string   // the wake word that Home Assistant was told last
	wordAt   time.Time
}

// New checks the options. It follows the bus from now on.
func New(o Options) (*Server, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	limit := func(every time.Duration, burst int) *rate.Limiter { return rate.NewLimiter(rate.Every(every), burst) }
	o.Begin.problem = len(o.Conditions.List()) > 0
	return &Server{
		opt: o, now: o.Begin, entities: entities(), sessions: map[*session]bool{},
		events: o.Bus.Subscribe("satellite", 256), lines: limit(time.Second, 20),
		limits: map[uint64]*rate.Limiter{ // those that commands of their kind have over MQTT
			buttonCommand: limit(time.Second, 20), switchCommand: limit(time.Second, 10),
			numberCommand: limit(200*time.Millisecond, 20), playerCommand: limit(200*time.Millisecond, 20),
			voiceAnnounce: limit(2*time.Second, 10), voiceSetConfig: limit(2*time.Second, 5),
			voiceTimer: limit(time.Second, 20),
		},
	}, nil
}

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	parts.Go(func() { s.follow(ctx) })
	for ctx.Err() == nil {
		err := s.listen(ctx)
		if ctx.Err() != nil {
			return nil
		}
		s.opt.Conditions.Set(condition, health.Warning,
			"Home Assistant cannot reach this box as a satellite: "+err.Error()+".")
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
	return nil
}

// listen serves until ctx ends or the listener fails.
func (s *Server) listen(ctx context.Context) error {
	raw, err := new(net.ListenConfig).Listen(ctx, "tcp", s.opt.Listen)
	if err != nil {
		return err
	}
	l := visitors.New(raw, maxClients)
	ctx, cancel := context.WithCancel(ctx)
	var served sync.WaitGroup
	defer served.Wait()
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = l.Close() }) // Accept gets the error
	defer stop()
	s.opt.Conditions.Clear(condition)
	s.opt.Log.Info("satellite is served", "component", "satellite", "address", raw.Addr().String(),
		"encrypted", s.opt.Key != nil)
	if !Local(s.opt.Listen) {
		served.Go(func() { s.advertise(ctx, raw.Addr()) })
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return errors.Join(err, raw.Close())
		}
		served.Go(func() { s.serve(ctx, c, sync.OnceFunc(func() { l.Know(c.RemoteAddr().String()) })) })
	}
}

// follow keeps what is shown.
func (s *Server) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.events.C():
			s.change(func(n *State) { s.happened(n, e) })
		}
	}
}

func (s *Server) happened(n *State, e event.Event) {
	switch e := e.(type) {
	case *event.StateChanged:
		n.State = e.To
	case *event.MuteChanged:
		n.Muted = e.Muted
	case *event.DNDChanged:
		n.DND = e.On
	case *event.VolumeChanged:
		n.Volume = e.Percent
	case *event.WakeWordChanged:
		n.Word = e.Word
	case *event.MediaChanged:
		n.Media = e.Media
	case *event.TimersChanged:
		n.Timers = e.Timers
	case *event.ConditionChanged:
		n.problem = len(s.opt.Conditions.List()) > 0
	}
}

// change changes what is shown, and shows it.
func (s *Server) change(by func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	by(&s.now)
	for c := range s.sessions {
		c.show(&s.now)
	}
}

// serve serves one client; known is called with each of its messages. A handshake may have been recorded: the first
// message shows that it has the key.
func (s *Server) serve(ctx context.Context, conn net.Conn, known func()) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // who reads or writes gets the error
	log := s.opt.Log.With("component", "satellite", "peer", conn.RemoteAddr().String())
	hello := s.opt.Node + "\x00" + strings.ReplaceAll(strings.ToLower(s.opt.MAC), ":", "") + "\x00"
	l, err := greet(conn, s.opt.Key, []byte(hello))
	if err != nil {
		if s.lines.Allow() {
			log.Info("satellite's client refused", "error", err)
		}
		return
	}
	c := &session{Server: s, link: l, log: log, end: cancel, out: make(chan packet, maxOut),
		todo: make(chan func(context.Context) error, maxTodo), says: make(chan announcement, maxAnnouncing)}
	var parts sync.WaitGroup
	parts.Go(func() { c.write(ctx) })
	parts.Go(func() { c.work(ctx) })
	parts.Go(func() { c.announce(ctx) })
	err = c.read(known)
	cancel()
	s.leave(c)
	parts.Wait()
	if s.lines.Allow() {
		log.Info("satellite's client has gone", "error", err)
	}
}

// join and leave keep who is shown changes.
func (s *Server) join(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[c] = true
	c.show(&s.now)
}

func (s *Server) leave(c *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, c)
	s.subscribe(c, false)
}

// subscribe makes c the one that runs pipelines, or no longer. mu is held.
func (s *Server) subscribe(c *session, on bool) {
	if on == (s.voice == c) {
		return
	}
	if s.run != nil {
		s.run.fail(errGone)
	}
	if s.voice = nil; on {
		s.voice = c
	}
}
