package talk

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"

	"hearthd/audio"
	"hearthd/audio/g722"
)

// limit is for what takes milliseconds on a machine that is not busy.
const limit = 30 * time.Second

// tone is a player of 440 Hz.
type tone struct {
	mu   sync.Mutex
	n    int
	rate int
}

func (p *tone) SetRate(hz int) { p.mu.Lock(); defer p.mu.Unlock(); p.rate = hz }
func (p *tone) SetLatency(int) {}

func (p *tone) Mix(out []int16) {
	for i := range out {
		out[i] = wave(p.n)
		p.n++
	}
}

func wave(n int) int16 { return int16(8000 * math.Sin(2*math.Pi*440*float64(n)/audio.Rate)) }

// loudness is the root of the mean square.
func loudness(pcm []int16) float64 {
	var sum float64
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(len(pcm), 1)))
}

// house serves calls: it hears frames, and plays a tone.
type house struct {
	*Exchange
	url    string
	heard  chan audio.Frame
	words  chan string
	served chan error
	leave  chan struct{} // closed: everybody out
}

func newHouse(t *testing.T, most int) *house {
	t.Helper()
	h := &house{heard: make(chan audio.Frame, 500), words: make(chan string, 10), served: make(chan error, 10),
		leave: make(chan struct{})}
	var err error
	h.Exchange, err = New(Options{Max: most, Serve: h.serve, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		h.Answer(w, r, h.leave)
	}))
	t.Cleanup(server.Close)
	h.url = server.URL
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(limit):
			t.Error("Run does not end")
		}
	})
	return h
}

func (h *house) serve(ctx context.Context, c *Call) error {
	var parts sync.WaitGroup
	parts.Go(func() { h.served <- c.Play(ctx, &tone{}) })
	parts.Go(func() {
		for {
			select {
			case w := <-c.Words():
				h.words <- w
				c.Tell("told " + w)
			case <-ctx.Done():
				return
			}
		}
	})
	var f audio.Frame
	for c.ReadFrame(ctx, &f) == nil {
		select {
		case h.heard <- f:
		default:
		}
	}
	parts.Wait()
	return nil
}

// offer posts a description and returns the answer's.
func (h *house) offer(t *testing.T, sdp string) (code int, answer string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"sdp": sdp})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(h.url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a struct {
		SDP   string `json:"sdp"`
		Error string `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.StatusCode, a.SDP
	}
	return resp.StatusCode, a.Error
}

// phone is the other end: the library with its own codecs, as far from ours as it
// can be had without a browser.
type phone struct {
	*webrtc.PeerConnection
	out   *webrtc.TrackLocalStaticSample
	heard chan []int16
	page  *webrtc.DataChannel
	told  chan string
	open  chan struct{}
}

func newPhone(t *testing.T) *phone {
	t.Helper()
	setting := webrtc.SettingEngine{}
	setting.SetIncludeLoopbackCandidate(true)
	engine := &webrtc.MediaEngine{}
	if err := engine.RegisterDefaultCodecs(); err != nil {
		t.Fatal(err)
	}
	pc, err := webrtc.NewAPI(webrtc.WithMediaEngine(engine),
		webrtc.WithSettingEngine(setting)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		t.Fatal(err)
	}
	p := &phone{PeerConnection: pc, heard: make(chan []int16, 500), told: make(chan string, 10),
		open: make(chan struct{})}
	t.Cleanup(func() { _ = pc.Close() })
	if p.out, err = webrtc.NewTrackLocalStaticSample(codec(), "microphone", "phone"); err != nil {
		t.Fatal(err)
	}
	if _, err := pc.AddTrack(p.out); err != nil {
		t.Fatal(err)
	}
	if p.page, err = pc.CreateDataChannel("hearthd", nil); err != nil {
		t.Fatal(err)
	}
	p.page.OnOpen(func() { close(p.open) })
	p.page.OnMessage(func(m webrtc.DataChannelMessage) { p.told <- string(m.Data) })
	pc.OnTrack(func(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		decoder := g722.NewDecoder()
		for {
			packet, _, err := track.ReadRTP()
			if err != nil {
				return
			}
			select {
			case p.heard <- decoder.Decode(nil, packet.Payload):
			default:
			}
		}
	})
	return p
}

// offer describes the connection that the phone wants.
func (p *phone) offer(t *testing.T) (sdp string) {
	t.Helper()
	gathered := webrtc.GatheringCompletePromise(p.PeerConnection)
	offer, err := p.CreateOffer(nil)
	if err == nil {
		err = p.SetLocalDescription(offer)
	}
	if err != nil {
		t.Fatal(err)
	}
	<-gathered
	return p.LocalDescription().SDP
}

// call offers and connects.
func (p *phone) call(t *testing.T, h *house) {
	t.Helper()
	code, answer := h.offer(t, p.offer(t))
	if code != http.StatusOK {
		t.Fatalf("%d: %s", code, answer)
	}
	if err := p.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.open:
	case <-time.After(limit):
		t.Fatal("the call does not begin")
	}
}

// speak sends a tone until ctx ends.
func (p *phone) speak(ctx context.Context) {
	encoder, n := g722.NewEncoder(), 0
	tick := time.NewTicker(audio.FrameDuration)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var f audio.Frame
		for i := range f {
			f[i] = wave(n)
			n++
		}
		if p.out.WriteSample(media.Sample{Data: encoder.Encode(nil, f[:]), Duration: audio.FrameDuration}) != nil {
			return
		}
	}
}

func TestBothHearEachOther(t *testing.T) {
	h, p := newHouse(t, 1), newPhone(t)
	p.call(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	var speaking sync.WaitGroup
	speaking.Go(func() { p.speak(ctx) })
	defer speaking.Wait()
	defer cancel()
	await := func(what string, next func() []int16) {
		t.Helper()
		var best float64
		for range 400 {
			if best = max(best, loudness(next())); best > 5000 { // 8000 / sqrt 2, but for the codec
				return
			}
		}
		t.Errorf("%s hears a loudness of %.0f", what, best)
	}
	await("the house", func() []int16 {
		select {
		case f := <-h.heard:
			return f[:]
		case <-time.After(limit):
			t.Fatal("nothing comes from the phone")
			return nil
		}
	})
	await("the phone", func() []int16 {
		select {
		case pcm := <-p.heard:
			return pcm
		case <-time.After(limit):
			t.Fatal("nothing comes from the house")
			return nil
		}
	})
}

func TestPageAndHouseExchangeWords(t *testing.T) {
	h, p := newHouse(t, 1), newPhone(t)
	p.call(t, h)
	for _, w := range []string{strings.Repeat("x", maxWord+1), "listen"} { // the first is too long
		if err := p.page.SendText(w); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		from <-chan string
		want string
	}{{h.words, "listen"}, {p.told, "told listen"}} {
		select {
		case got := <-c.from:
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		case <-time.After(limit):
			t.Fatalf("%q does not come", c.want)
		}
	}
}

func TestHangingUpMakesRoomForTheNext(t *testing.T) {
	h, first := newHouse(t, 1), newPhone(t)
	first.call(t, h)
	if code, why := h.offer(t, newPhone(t).offer(t)); code != http.StatusServiceUnavailable {
		t.Errorf("the second got %d: %s", code, why)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-h.served:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(limit):
		t.Fatal("the first call does not end")
	}
	h.empties(t)
	newPhone(t).call(t, h)
}

// empties waits until nobody holds a place.
func (h *house) empties(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(limit); time.Now().Before(until); <-tick.C {
		h.mu.Lock()
		n := len(h.calls)
		h.mu.Unlock()
		if n == 0 {
			return
		}
	}
	t.Fatal("there is no room")
}

func TestCallEndsWithWhatItWasLetInBy(t *testing.T) {
	h, p := newHouse(t, 1), newPhone(t)
	p.call(t, h)
	close(h.leave)
	h.empties(t)
}

func TestCallThatDoesNotConnectMakesRoom(t *testing.T) {
	h, p := newHouse(t, 1), newPhone(t)
	h.join = time.Millisecond
	if code, answer := h.offer(t, p.offer(t)); code != http.StatusOK {
		t.Fatalf("%d: %s", code, answer)
	}
	h.empties(t)
}

func TestOffersThatAreNoneAreRefused(t *testing.T) {
	h := newHouse(t, 1)
	for name, sdp := range map[string]string{
		"nothing": "", "words": "hello", "no sound": "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n",
		"too long": strings.Repeat("x", maxOffer+1),
	} {
		if code, answer := h.offer(t, sdp); code == http.StatusOK {
			t.Errorf("%s was answered: %s", name, answer)
		}
		h.mu.Lock()
		if len(h.calls) != 0 {
			t.Errorf("%s: %d calls are kept", name, len(h.calls))
		}
		h.mu.Unlock()
	}
}

func TestOnlyWhoIsSafeIsServed(t *testing.T) {
	h := newHouse(t, 1)
	r := httptest.NewRequest("POST", "/v1/talk", strings.NewReader(`{"sdp":"v=0"}`))
	r.RemoteAddr = "192.168.1.9:4000"
	w := httptest.NewRecorder()
	h.Answer(w, r, nil)
	if w.Code != http.StatusForbidden {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}
