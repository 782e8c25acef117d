package esphome

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// served runs a server on a port of its own, until the test ends.
func served(t *testing.T, o Options) (*Server, string) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	o.Listen = free.Addr().String()
	check(t, free.Close())
	s, err := New(o)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var runs sync.WaitGroup
	runs.Go(func() { check(t, s.Run(ctx)) })
	t.Cleanup(runs.Wait)
	t.Cleanup(cancel)
	eventually(t, func() bool {
		c, err := net.Dial("tcp", o.Listen)
		return err == nil && c.Close() == nil
	})
	return s, o.Listen
}

func dial(t *testing.T, at string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", at)
	check(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// tapped keeps what was written.
type tapped struct {
	net.Conn
	sent []byte
}

func (c *tapped) Write(p []byte) (int, error) {
	c.sent = append(c.sent, p...)
	return c.Conn.Write(p)
}

// Somebody who has recorded a handshake can send it again, but cannot say anything afterwards.
func TestReplayedHandshakesTakeNoPlaces(t *testing.T) {
	o := options(new(kitchen))
	o.Key = testKey
	s, at := served(t, o)
	recorded := &tapped{Conn: dial(t, at)}
	initiate(t, recorded, testKey)
	check(t, recorded.Close())
	for range maxClients {
		c := dial(t, at)
		_, err := c.Write(recorded.sent)
		check(t, err)
		l := newLink(c)
		for range 2 { // it is greeted
			_, err = l.readFrame()
			check(t, err)
		}
	}
	l, _ := initiate(t, dial(t, at), testKey)
	p := &peer{t, l, s}
	p.send(pingRequest, nil)
	p.get(pingResponse)
}

// lines counts lines of a log.
type lines struct {
	mu    sync.Mutex
	count int
	text  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	return l.text.Write(p)
}

func (l *lines) all() (int, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.text.String()
}

// Nobody is left over from those who came and went, however they did.
func TestConnectionsLeaveNothingBehind(t *testing.T) {
	o := options(new(kitchen))
	o.Key = testKey
	s, at := served(t, o)
	clients := func(n int) {
		for i := range n {
			c, err := net.Dial("tcp", at)
			check(t, err)
			switch i % 4 {
			case 0: // a part of a handshake
				_, _ = c.Write([]byte("\x01\x00\x00\x01\x00"))
			case 1: // no handshake
				_, _ = c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
			default:
				l, _ := initiate(t, c, testKey)
				p := &peer{t, l, s}
				p.send(statesRequest, nil)
				p.send(voiceSubscribe, func(m *message) { m.flag(1, true) })
				p.get(21)
				if i%4 == 3 { // it does not see the end
					c.(*net.TCPConn).SetLinger(0)
				}
			}
			_ = c.Close()
		}
	}
	clients(8)
	idle := func() int {
		eventually(t, func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.sessions) == 0 && s.voice == nil
		})
		return runtime.NumGoroutine()
	}
	before := idle()
	clients(200)
	eventually(t, func() bool { return idle() <= before })
}

// A flood says what it is in a few lines of the log.
func TestFloodIsNotALineEach(t *testing.T) {
	var log lines
	o := options(new(kitchen))
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	p := connect(t, o)
	for range 500 {
		p.send(buttonCommand, func(m *message) { m.fixed(keyField, 1) })
	}
	p.send(pingRequest, nil)
	p.get(pingResponse)
	if n, _ := log.all(); n == 0 || n > 50 {
		t.Errorf("%d lines", n)
	}
}

func TestStrangersAreNotALineEach(t *testing.T) {
	var log lines
	o := options(new(kitchen))
	o.Log, o.Key = slog.New(slog.NewTextHandler(&log, nil)), testKey
	_, at := served(t, o)
	for range 300 {
		c := dial(t, at)
		_, err := c.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
		check(t, err)
		_, _ = io.Copy(io.Discard, c) // until it is left
	}
	if n, _ := log.all(); n < 2 || n > 50 {
		t.Errorf("%d lines", n)
	}
}

// What a person says ends with the pipeline.
func TestNothingIsSentOfAPipelineThatIsCut(t *testing.T) {
	p, r := pipeline(t)
	r.Cut(0)
	if err := r.Write([]int16{1}); err == nil {
		t.Error("it goes on")
	}
	p.send(disconnectRequest, nil)
	for {
		kind, _, err := p.read()
		if kind == voiceAudio {
			t.Fatal("it was sent")
		}
		if err != nil {
			return
		}
	}
}

func TestWordsOfAnAnswerAreBounded(t *testing.T) {
	p, r := pipeline(t)
	p.happens(begun)
	var sent sync.WaitGroup
	sent.Go(func() {
		for range 200 {
			var m, pair message
			pair.text(1, "text")
			pair.text(2, strings.Repeat("x", maxBody-100))
			m.number(1, saysIt)
			m.text(2, string(pair))
			if p.write(voiceEvent, m) != nil {
				return
			}
		}
		_ = p.write(voiceEvent, message{0x08, pipelineEnded})
	})
	list, _, err := answered(r)
	r.Cut(0)
	sent.Wait()
	if n := len(strings.Join(list, "")); err == nil || n > 1<<17 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

func TestCodeOfAFailureIsBounded(t *testing.T) {
	p, r := pipeline(t)
	p.happens(pipelineFailed, "code", strings.Repeat("x\n", 10000))
	if _, _, err := answered(r); err == nil || len(err.Error()) > 300 {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
}

// Only what has been heard may open the microphone.
func TestSilentAnnouncementOpensNoMicrophone(t *testing.T) {
	k := new(kitchen)
	p := connect(t, options(k))
	p.send(voiceAnnounce, func(m *message) { m.flag(4, true) })
	if p.get(voiceAnnounced).flag(1) {
		t.Error("nothing was heard")
	}
	p.does(buttonCommand, "stop", nil)
	if told := strings.Join(k.list(), ", "); told != "stop" {
		t.Errorf("told %s", told)
	}
}

// The answer that broke off is not one that has ended.
func TestSoundThatBreaksOffIsAFailure(t *testing.T) {
	p, r := pipeline(t)
	p.s.opt.Open = func(context.Context, string, int) (io.ReadCloser, error) {
		lost := iotest.ErrReader(errors.New("lost"))
		return io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat("ab", 3*piece)), lost)), nil
	}
	p.happens(begun)
	p.happens(soundsAt, "url", "http://ha/a")
	p.happens(pipelineEnded)
	if _, sound, err := answered(r); sound != 3*piece || err == nil {
		t.Errorf("%d samples, %v", sound, err)
	}
}

// The first pipeline was cut before Home Assistant had begun it, so that all of its events come later.
func TestEventsOfThePipelineBeforeAreNotHeard(t *testing.T) {
	p, old := pipeline(t)
	old.Cut(0)
	r, err := p.s.Begin(t.Context(), "")
	check(t, err)
	p.happens(begun)
	p.happens(heardIt, "text", "old")
	p.happens(pipelineEnded)
	for asked := 0; asked < 2; { // now it comes to the second one
		kind, _, err := p.read()
		check(t, err)
		switch kind {
		case pingRequest:
			p.send(pingResponse, nil)
		case voiceRequest:
			asked++
		}
	}
	p.happens(begun)
	p.happens(heardIt, "text", "new")
	p.happens(pipelineEnded)
	if list, _, err := answered(r); strings.Join(list, ", ") != "heard new" || err != nil {
		t.Errorf("%v %v", list, err)
	}
}

func TestWhoDoesNotReadIsLeft(t *testing.T) {
	p := connect(t, options(new(kitchen)))
	for range 200_000 {
		if p.write(listRequest, nil) != nil {
			return
		}
	}
	t.Error("it is still served")
}

// Nothing of an answer comes after its sound.
func TestAnswerEndsWithItsSoundWhereThePipelineDoesNotEnd(t *testing.T) {
	p, r := pipeline(t)
	p.happens(begun)
	p.happens(saysIt, "text", "Warm.")
	p.happens(soundsAt, "url", "http://ha/a")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	sound := 0
	for d, err := range r.Answer(ctx, time.Minute, 0) {
		sound += len(d.Audio)
		if err != nil {
			t.Error(err)
		}
	}
	if sound != AnswerRate/10 {
		t.Errorf("%d samples", sound)
	}
	r.Cut(time.Second)
	if p.get(voiceRequest).flag(1) {
		t.Error("another one is begun")
	}
}
