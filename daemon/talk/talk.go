// Package talk turns a browser into one more microphone and speaker, by WebRTC. The browser
// cancels its own echo and buffers against the network, and G.722 carries 16 kHz both ways.
// An Exchange accepts offers and runs each Call in a goroutine of its own below Run, which
// waits for all of them; the goroutines of the library end with their connection. A call
// owns a queue of frames and counts those that it drops. The package knows nothing of what
// the sound is for, and must import nothing of hearthd but audio, audio/g722 and daemon/queue.
package talk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"
)

const (
	// maxOffer bounds a session description, in bytes; a browser's has about 3000.
	maxOffer = 64 << 10
	// gatherLimit bounds the search for the box's own addresses, and joinLimit the time until
	// the browser is connected. The page tries again after 8 s, and by then its first call
	// must not occupy a place any more.
	gatherLimit = 5 * time.Second
	joinLimit   = 7 * time.Second
	// How long there may be no sign of life until the browser counts as disconnected, and as gone,
	// and how often a sign is sent (RFC 8445, and consent checks, RFC 7675).
	lostAfter, goneAfter, signEvery = 3 * time.Second, 8 * time.Second, time.Second
)

// Options are what an Exchange needs.
type Options struct {
	Max int // calls at once
	// Serve serves a call until ctx ends, which it does with the call.
	Serve func(ctx context.Context, c *Call) error
	Log   *slog.Logger
}

// Exchange accepts calls. It is safe for use by several goroutines.
type Exchange struct {
	opt   Options
	api   *webrtc.API
	begin chan *Call // to Run; while Run does not run, nobody receives
	join  time.Duration

	mu    sync.Mutex
	calls map[string]*Call
}

// New checks the options and opens nothing.
func New(opt Options) (*Exchange, error) {
	if opt.Max < 1 || opt.Serve == nil || opt.Log == nil {
		return nil, errors.New("new exchange: a part is missing")
	}
	media := &webrtc.MediaEngine{}
	parameters := webrtc.RTPCodecParameters{RTPCodecCapability: codec(), PayloadType: payloadType}
	if err := media.RegisterCodec(parameters, webrtc.RTPCodecTypeAudio); err != nil {
		return nil, fmt.Errorf("new exchange: %w", err)
	}
	setting := webrtc.SettingEngine{}
	setting.SetIncludeLoopbackCandidate(true)
	setting.SetICETimeouts(lostAfter, goneAfter, signEvery)
	return &Exchange{
		opt:   opt,
		api:   webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithSettingEngine(setting)),
		begin: make(chan *Call), join: joinLimit, calls: make(map[string]*Call),
	}, nil
}

// Run serves calls until ctx ends, and waits for them.
func (x *Exchange) Run(ctx context.Context) error {
	var calls sync.WaitGroup
	defer calls.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case c := <-x.begin:
			calls.Go(func() { x.serve(ctx, c) })
		}
	}
}

// serve runs one call from the accepted offer to its end.
func (x *Exchange) serve(ctx context.Context, c *Call) {
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer cancel()
	waiting.Go(func() {
		select {
		case <-c.gone:
			cancel()
		case <-c.leave:
			cancel()
		case <-ctx.Done():
		}
	})
	defer x.leave(c)
	join := time.NewTimer(x.join)
	defer join.Stop()
	select {
	case <-ctx.Done():
		return
	case <-join.C:
		x.opt.Log.Warn("browser did not connect", "component", "talk", "call", c.ID)
		return
	case <-c.joined:
	}
	x.opt.Log.Info("call begins", "component", "talk", "call", c.ID)
	if err := x.opt.Serve(ctx, c); err != nil && ctx.Err() == nil {
		x.opt.Log.Warn("serve call", "component", "talk", "call", c.ID, "error", err)
	}
	x.opt.Log.Info("call is over", "component", "talk", "call", c.ID, "dropped", c.dropped.Load())
}

// leave ends a call and makes room for another.
func (x *Exchange) leave(c *Call) {
	c.hangUp()
	if err := c.peer.Close(); err != nil {
		x.opt.Log.Debug("close call", "component", "talk", "call", c.ID, "error", err)
	}
	c.reports.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.calls, c.ID)
}

// Answer accepts an offer, {"sdp": …}, and answers {"sdp": …}. It refuses pages that came
// neither by https nor from this machine, to which a browser would not give its microphone
// either. The call ends when leave is closed, if not before.
func (x *Exchange) Answer(w http.ResponseWriter, r *http.Request, leave <-chan struct{}) {
	var offer struct {
		SDP string `json:"sdp"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxOffer)).Decode(&offer)
	switch {
	case !secure(r):
		tell(w, http.StatusForbidden, failure{"talking needs https, or a browser on this machine"})
		return
	case err != nil || offer.SDP == "":
		tell(w, http.StatusBadRequest, failure{"want an offer"})
		return
	}
	answer, err := x.take(r.Context(), offer.SDP, leave)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		tell(w, refused.code, failure{refused.why})
	case err != nil:
		x.opt.Log.Warn("take call", "component", "talk", "error", err)
		tell(w, http.StatusInternalServerError, failure{"the call cannot be taken"})
	default:
		tell(w, http.StatusOK, map[string]string{"sdp": answer})
	}
}

// secure reports whether nobody can listen or interfere between the browser and here.
func secure(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return r.TLS != nil || err == nil && at.Addr().Unmap().IsLoopback()
}

type failure struct {
	Error string `json:"error"`
}

// tell answers with v as JSON. It fails only for a client that hung up.
func tell(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// refusal says why an offer is not accepted, for the browser.
type refusal struct {
	code int
	why  string
}

func (r *refusal) Error() string { return r.why }

// take makes a call from an offer and returns the answer to it.
func (x *Exchange) take(ctx context.Context, offer string, leave <-chan struct{}) (answer string, err error) {
	c := newCall(rand.Text()[:8], leave)
	x.mu.Lock()
	full := len(x.calls) >= x.opt.Max
	if !full {
		x.calls[c.ID] = c
	}
	x.mu.Unlock()
	if full {
		return "", &refusal{http.StatusServiceUnavailable, "as many as may are talking already"}
	}
	if c.peer, err = x.api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		x.mu.Lock()
		delete(x.calls, c.ID)
		x.mu.Unlock()
		return "", fmt.Errorf("take call: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, gatherLimit)
	defer cancel()
	if answer, err = c.answer(ctx, offer); err == nil {
		select {
		case x.begin <- c:
			return answer, nil
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	x.leave(c)
	return "", err
}
