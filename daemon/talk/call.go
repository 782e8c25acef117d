package talk

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/pion/webrtc/v4/pkg/media/samplebuilder"

	"hearthd/audio"
	"hearthd/audio/g722"
)

const (
	// payloadType is G.722's own (RFC 3551, table 4), whose clock is told as 8 kHz by an
	// old mistake, though it samples at 16.
	payloadType = 9
	clockRate   = 8000

	// heardQueue is what the listener may be behind the network: a second.
	heardQueue = int(time.Second / audio.FrameDuration)
	// maxLate is how many packets are waited for one that is missing.
	maxLate = 5
	// maxFill bounds the silence that stands for packets that were lost.
	maxFill = 10
	// maxBehind is how many frames are sent at once when this process was held up.
	maxBehind = 5
	// browserDelay is about what a browser holds back of what it plays, to even out
	// the network.
	browserDelay = audio.Rate * 80 / 1000 // samples

	// maxWord bounds what the page sends on its channel, in bytes, and words how many
	// may wait to be read; maxUntold how many bytes may wait to be sent to it.
	maxWord, words = 256, 16
	maxUntold      = 64 << 10
)

func codec() webrtc.RTPCodecCapability {
	return webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeG722, ClockRate: clockRate}
}

// Player is what the browser plays.
type Player interface {
	// Mix fills out with the next samples.
	Mix(out []int16)
	// SetRate says at what rate Mix is called, or with 0 that it is not any more.
	SetRate(hz int)
	SetLatency(samples int)
}

// Call is one browser. ReadFrame belongs to one goroutine, and so does Play.
type Call struct {
	ID   string
	peer *webrtc.PeerConnection
	out  *webrtc.TrackLocalStaticSample

	heard   chan audio.Frame
	dropped atomic.Uint64 // frames that found heard full
	words   chan string
	page    atomic.Pointer[webrtc.DataChannel] // nil: there is none yet

	reports sync.WaitGroup
	joined  chan struct{}   // closed when the browser is connected
	gone    chan struct{}   // closed when it is over
	leave   <-chan struct{} // closed when whoever let it in wants it to end; may be nil
	hangUp  func()
}

func newCall(id string, leave <-chan struct{}) *Call {
	c := &Call{
		ID: id, leave: leave, heard: make(chan audio.Frame, heardQueue), words: make(chan string, words),
		joined: make(chan struct{}),
	}
	c.gone = make(chan struct{})
	c.hangUp = sync.OnceFunc(func() { close(c.gone) })
	return c
}

func (c *Call) String() string { return "call of a browser" }

// ReadFrame waits for the next frame of the browser's microphone, or until ctx ends.
func (c *Call) ReadFrame(ctx context.Context, f *audio.Frame) error {
	select {
	case *f = <-c.heard:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Words are what the page asks for on its channel.
func (c *Call) Words() <-chan string { return c.words }

// Tell sends text to the page. What it does not take is dropped.
func (c *Call) Tell(text string) {
	d := c.page.Load()
	if d == nil || d.BufferedAmount() > maxUntold {
		return
	}
	// It fails before the channel is open, and when the page is gone: the call is over.
	_ = d.SendText(text)
}

// answer agrees on the connection that an offer describes.
func (c *Call) answer(ctx context.Context, offer string) (string, error) {
	joined := sync.OnceFunc(func() { close(c.joined) })
	c.peer.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		switch s {
		case webrtc.PeerConnectionStateConnected:
			joined()
		case webrtc.PeerConnectionStateFailed, webrtc.PeerConnectionStateClosed:
			c.hangUp()
		}
	})
	c.peer.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { c.listen(t) })
	c.peer.OnDataChannel(c.channel)
	if err := c.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", &refusal{http.StatusBadRequest, "the offer cannot be read"}
	}
	var err error
	if c.out, err = webrtc.NewTrackLocalStaticSample(codec(), "voice", "hearthd"); err != nil {
		return "", fmt.Errorf("make track: %w", err)
	}
	sender, err := c.peer.AddTrack(c.out)
	if err != nil {
		return "", fmt.Errorf("add track: %w", err)
	}
	c.reports.Go(func() { drain(sender) })
	local, err := c.peer.CreateAnswer(nil)
	if err != nil {
		return "", &refusal{http.StatusBadRequest, "the offer has no sound that can be agreed on (G.722)"}
	}
	gathered := webrtc.GatheringCompletePromise(c.peer)
	if err := c.peer.SetLocalDescription(local); err != nil {
		return "", fmt.Errorf("answer call: %w", err)
	}
	select {
	case <-gathered:
	case <-ctx.Done():
		return "", fmt.Errorf("find own addresses: %w", context.Cause(ctx))
	}
	return c.peer.LocalDescription().SDP, nil
}

// drain reads the reports of the receiver, which the library answers meanwhile. It
// ends when the connection is closed.
func drain(s *webrtc.RTPSender) {
	buf := make([]byte, 1500)
	for {
		if _, _, err := s.Read(buf); err != nil {
			return
		}
	}
}

// listen takes what the microphone sends, on a goroutine of the library's, until the
// connection is closed.
func (c *Call) listen(t *webrtc.TrackRemote) {
	ordered := samplebuilder.New(maxLate, bare{}, clockRate)
	decoder := g722.NewDecoder()
	var pending []int16
	for {
		p, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		ordered.Push(p)
		for s := ordered.Pop(); s != nil; s = ordered.Pop() {
			for range min(int(s.PrevDroppedPackets), maxFill) {
				pending = append(pending, make([]int16, audio.FrameSamples)...)
			}
			pending = c.frames(decoder.Decode(pending, s.Data))
		}
	}
}

// frames queues whole frames and returns the rest.
func (c *Call) frames(pcm []int16) []int16 {
	for len(pcm) >= audio.FrameSamples {
		select {
		case c.heard <- audio.Frame(pcm[:audio.FrameSamples]):
		default:
			c.dropped.Add(1)
		}
		pcm = pcm[:copy(pcm, pcm[audio.FrameSamples:])]
	}
	return pcm
}

// bare takes the payload as it is (RFC 3551, 4.5.2).
type bare struct{}

func (bare) Unmarshal(p []byte) ([]byte, error)    { return p, nil }
func (bare) IsPartitionHead([]byte) bool           { return true }
func (bare) IsPartitionTail(_ bool, _ []byte) bool { return true }

// Play sends what player plays until ctx ends.
func (c *Call) Play(ctx context.Context, player Player) error {
	player.SetRate(audio.Rate)
	player.SetLatency(browserDelay)
	defer player.SetRate(0)
	encoder := g722.NewEncoder()
	var pcm audio.Frame
	tick := time.NewTicker(audio.FrameDuration)
	defer tick.Stop()
	begun, sent := time.Now(), 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		due := int(time.Since(begun) / audio.FrameDuration)
		if due-sent > maxBehind {
			sent = due - 1
		}
		for ; sent < due; sent++ {
			player.Mix(pcm[:])
			// The track keeps no sample, but its packets may: they get their own bytes.
			sample := media.Sample{Data: encoder.Encode(make([]byte, 0, audio.FrameSamples/2), pcm[:]), Duration: audio.FrameDuration}
			if err := c.out.WriteSample(sample); err != nil {
				return fmt.Errorf("send sound: %w", err)
			}
		}
	}
}

// channel carries words of the page and what it is told.
func (c *Call) channel(d *webrtc.DataChannel) {
	d.OnMessage(func(m webrtc.DataChannelMessage) {
		if !m.IsString || len(m.Data) > maxWord {
			return
		}
		select {
		case c.words <- string(m.Data):
		default:
		}
	})
	// Not when it is open: the library tells of that and of the first message at once.
	c.page.Store(d)
}
