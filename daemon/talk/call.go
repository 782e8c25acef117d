package talk

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"hearthd/audio"
	"hearthd/audio/g722"
	"hearthd/daemon/queue"

	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"
	"github.com/pion/webrtc/v4/pkg/media/samplebuilder"
)

const (
	// payloadType is that of G.722 (RFC 3551, table 4). By an old mistake its clock rate is
	// given as 8 kHz, though it samples at 16 kHz.
	payloadType = 9
	clockRate   = 8000

	// heardQueue is how many frames may wait for the listener: a second.
	heardQueue = int(time.Second / audio.FrameDuration)
	// maxLate is how many further packets may come before a missing one is given up.
	maxLate = 5
	// maxFill bounds the silence that replaces lost packets, in frames.
	maxFill = 10
	// maxBehind is how many frames are sent at once after this process was held up.
	maxBehind = 5
	// browserDelay is about how much sound a browser buffers before it plays it.
	browserDelay = audio.Rate * 80 / 1000 // samples

	// maxWord bounds a message of the page on its data channel, in bytes, and words how many
	// of them may wait; maxUntold bounds the bytes that may wait to be sent to the page.
	maxWord, words = 256, 16
	maxUntold      = 64 << 10
)

func codec() webrtc.RTPCodecCapability {
	return webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeG722, ClockRate: clockRate}
}

// Player makes the sound that the browser plays.
type Player interface {
	// Mix fills out with the next samples.
	Mix(out []int16)
	// SetRate sets the sample rate of Mix, or with 0 says that Mix is not called any more.
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
	leave   <-chan struct{} // closed when the session ends that it belongs to; may be nil
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

// Words are the messages of the page on its data channel.
func (c *Call) Words() <-chan string { return c.words }

// Tell sends text to the page, or drops it if the page does not keep up.
func (c *Call) Tell(text string) {
	d := c.page.Load()
	if d == nil || d.BufferedAmount() > maxUntold {
		return
	}
	// It fails before the channel is open, and when the page is gone: the call is over.
	_ = d.SendText(text)
}

// answer negotiates the connection that an offer describes.
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
	if err := c.peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer,
		SDP: offer}); err != nil {
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

// drain reads the reports of the receiver, because the library handles them only while they
// are read. It ends when the connection is closed.
func drain(s *webrtc.RTPSender) {
	buf := make([]byte, 1500)
	for {
		if _, _, err := s.Read(buf); err != nil {
			return
		}
	}
}

// listen receives the sound of the microphone, on a goroutine of the library, until the
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

// frames queues the whole frames of pcm and returns the samples that are left.
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

// bare is the depacketizer for a payload without a header of its own (RFC 3551, 4.5.2).
type bare struct{}

func (bare) Unmarshal(p []byte) ([]byte, error)    { return p, nil }
func (bare) IsPartitionHead([]byte) bool           { return true }
func (bare) IsPartitionTail(_ bool, _ []byte) bool { return true }

// Play sends the sound of player until ctx ends.
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
			// The track does not keep the samples, but its packets may, so each gets its own bytes.
			data := encoder.Encode(make([]byte, 0, audio.FrameSamples/2), pcm[:])
			if err := c.out.WriteSample(media.Sample{Data: data, Duration: audio.FrameDuration}); err != nil {
				return fmt.Errorf("send sound: %w", err)
			}
		}
	}
}

// channel sets up the data channel.
func (c *Call) channel(d *webrtc.DataChannel) {
	d.OnMessage(func(m webrtc.DataChannelMessage) {
		if !m.IsString || len(m.Data) > maxWord {
			return
		}
		queue.Offer(c.words, string(m.Data))
	})
	// At once, not when it is open: the library reports that together with the first message.
	c.page.Store(d)
}
