package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
	"github.com/pion/webrtc/v4/pkg/media"

	"hearthd/audio"
	"hearthd/audio/g722"
	"hearthd/rigs/llmtest"
	"hearthd/rigs/testcard"
)

// phone is a browser's end of a call, without the browser: it speaks when a test
// wants it to, and hands on what the page is told.
type phone struct {
	k    *kitchen
	page *webrtc.DataChannel
	told chan happening

	mu  sync.Mutex
	say []int16 // at audio.Rate
}

// call joins the box.
func (k *kitchen) call() *phone {
	k.t.Helper()
	setting := webrtc.SettingEngine{}
	setting.SetIncludeLoopbackCandidate(true)
	codec := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeG722, ClockRate: 8000} // RFC 3551, 4.5.2
	engine := &webrtc.MediaEngine{}
	check(k.t, engine.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: codec, PayloadType: 9}, webrtc.RTPCodecTypeAudio))
	peer, err := webrtc.NewAPI(webrtc.WithMediaEngine(engine), webrtc.WithSettingEngine(setting)).NewPeerConnection(webrtc.Configuration{})
	check(k.t, err)
	track, err := webrtc.NewTrackLocalStaticSample(codec, "microphone", "phone")
	check(k.t, err)
	_, err = peer.AddTrack(track)
	check(k.t, err)
	p := &phone{k: k, told: make(chan happening, 1000)}
	p.page, err = peer.CreateDataChannel("hearthd", nil)
	check(k.t, err)
	open := make(chan struct{})
	p.page.OnOpen(func() { close(open) })
	p.page.OnMessage(func(m webrtc.DataChannelMessage) {
		h := happening{raw: m.Data}
		if json.Unmarshal(m.Data, &h) == nil {
			p.told <- h
		}
	})
	gathered := webrtc.GatheringCompletePromise(peer)
	offer, err := peer.CreateOffer(nil)
	check(k.t, err)
	check(k.t, peer.SetLocalDescription(offer))
	<-gathered
	at, token, err := k.Console(k.t.Context())
	check(k.t, err)
	body, err := json.Marshal(map[string]string{"sdp": peer.LocalDescription().SDP})
	check(k.t, err)
	req, err := http.NewRequestWithContext(k.t.Context(), http.MethodPost, at+"v1/talk", strings.NewReader(string(body)))
	check(k.t, err)
	req.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + token}}
	res, err := http.DefaultClient.Do(req)
	check(k.t, err)
	defer res.Body.Close()
	var answer struct{ SDP string }
	check(k.t, json.NewDecoder(res.Body).Decode(&answer))
	check(k.t, peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer.SDP}))
	select {
	case <-open:
	case <-time.After(patience):
		k.t.Fatal("the call does not begin")
	}
	ctx, cancel := context.WithCancel(context.Background())
	var microphone sync.WaitGroup
	microphone.Go(func() { p.speak(ctx, track) })
	k.t.Cleanup(func() {
		cancel()
		microphone.Wait()
		check(k.t, peer.Close())
	})
	return p
}

// speak is the microphone: what is to be said, else silence.
func (p *phone) speak(ctx context.Context, track *webrtc.TrackLocalStaticSample) {
	encoder := g722.NewEncoder()
	tick := time.NewTicker(audio.FrameDuration)
	defer tick.Stop()
	for begun, sent := time.Now(), 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for ; sent < int(time.Since(begun)/audio.FrameDuration); sent++ {
			var f audio.Frame
			p.mu.Lock()
			p.say = p.say[copy(f[:], p.say):]
			p.mu.Unlock()
			sample := media.Sample{Data: encoder.Encode(nil, f[:]), Duration: audio.FrameDuration}
			if track.WriteSample(sample) != nil {
				return // the call is over
			}
		}
	}
}

func (p *phone) says(text string) {
	p.k.t.Helper()
	conv, err := audio.NewResampler(testcard.Rate, audio.Rate)
	check(p.k.t, err)
	pcm := conv.Flush(conv.Process(nil, p.k.synthesise(text)))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say = append(p.say, pcm...)
}

// pauses is silent before what is said next.
func (p *phone) pauses(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say = append(p.say, make([]int16, d*audio.Rate/time.Second)...)
}

// hears waits until the page is told of something.
func (p *phone) hears(what string, fits func(happening) bool) {
	p.k.t.Helper()
	for late := time.After(patience); ; {
		select {
		case h := <-p.told:
			if fits(h) {
				return
			}
		case <-late:
			p.k.t.Fatalf("the page was never told of %s", what)
		}
	}
}

func TestGuestReachesTheResponderAndBargesIn(t *testing.T) {
	long := strings.Repeat(cloudAnswer+" ", 8)
	k, cloud, env := cloudy(t, func(llmtest.RealtimeTurn) llmtest.RealtimeAnswer {
		return llmtest.RealtimeAnswer{Text: long, Heard: "What is bread?", Paced: true}
	})
	k.begin(env...)
	p := k.call()
	check(t, p.page.SendText("listen"))
	p.says("Why do the people bake their bread?")
	p.hears("the answer", func(h happening) bool { return h.Type == "state" && h.To == "speaking" })
	p.pauses(time.Second) // something is heard at full loudness
	p.says("That is enough, my dear friend, now tell me more about the bread and the people.")
	p.hears("the interruption", func(h happening) bool { return h.Type == "barge_in" })
	doc := k.turn("voice")
	if doc.Route != "cloud" || doc.WokenBy != "browser" || doc.Outcome != "interrupted" || doc.Cost <= 0 {
		t.Errorf("%+v", doc)
	}
	if heard, cut := strings.CutSuffix(doc.Answer, " …"); !cut || !strings.HasPrefix(long, heard) || heard == "" {
		t.Errorf("it says that %q was heard", doc.Answer)
	}
	if all, _ := cloud.Sessions(); all != 1 {
		t.Errorf("%d sessions", all)
	}
	if s := k.status(); s.State == "listening" || s.State == "thinking" || s.State == "speaking" {
		t.Errorf("the box itself is %s", s.State)
	}
}

func TestReloadReachesWhoIsTalking(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	p := k.call()
	check(t, p.page.SendText("listen"))
	p.hears("that it listens", func(h happening) bool { return h.Type == "state" && h.To == "listening" })
	check(t, os.WriteFile(k.ConfigPath(), []byte("listen: {max_utterance: 2s}\n"), 0o600))
	if code, out, stderr := k.ctl(t, "reload"); code != 0 || out != "changed: listen.max_utterance\n" {
		t.Fatalf("reload: %d, %q, %q", code, out, stderr)
	}
	p.says("Tell me what time it is in the kitchen where the people bake their bread.")
	p.hears("the new limit", func(h happening) bool { return h.Type == "speech_ended" && h.Reason == "cap" })
}
