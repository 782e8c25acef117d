package prints

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/llm/wyoming"
	"hearthd/memory"
	"hearthd/rigs/memorytest"
)

// server is a hearth-speech whose prints are the angle that the pitch of a tone stands for. It gives its address.
func server(t *testing.T, answer func(samples []int16) wyoming.Event) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conn := wyoming.NewConn(c)
			e, err := conn.Receive(t.Context())
			samples := make([]int16, len(e.Payload)/2)
			for i := range samples {
				samples[i] = int16(binary.LittleEndian.Uint16(e.Payload[2*i:]))
			}
			if err == nil && e.Type == wyoming.VoicePrint {
				_ = conn.Send(t.Context(), answer(samples))
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return "unix:" + path
}

// angled is a print of the angle, in degrees, that is the loudest sample.
func angled(samples []int16) wyoming.Event {
	a := float64(slices.Max(samples)) / 100 * math.Pi / 180
	e, _ := wyoming.NewEvent(wyoming.VoicePrint, wyoming.Print{Model: "m", Likely: 0.6,
		Print: []float32{float32(5 * math.Cos(a)), float32(5 * math.Sin(a))}})
	return e
}

// voice is two seconds of somebody whose print has an angle, after silence.
func voice(degrees int) []int16 {
	out := make([]int16, 5*audio.Rate/2)
	for i := audio.Rate / 2; i < len(out); i++ {
		out[i] = int16(100 * degrees * (1 - i&1))
	}
	return out
}

// script is what is said when something is recorded.
type script struct{ said [][]int16 }

func (s *script) Begin() (func(), error) { return func() {}, nil }
func (s *script) Record(context.Context, int) ([]int16, error) {
	said := s.said[0]
	s.said = s.said[1:]
	return said, nil
}

func newPrints(t *testing.T, at string, said ...[]int16) (*Prints, *health.Conditions) {
	t.Helper()
	conditions := health.New(event.NewBus())
	p, err := New(Options{
		Server: at, Store: memorytest.Open(t), People: []string{"anna", "ben"}, Recorder: &script{said}, Erased: func() {},
		Conditions: conditions, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, conditions
}

// steps enrols a person, and gives what was told.
func steps(t *testing.T, p *Prints, person string, said ...[]int16) string {
	t.Helper()
	p.opt.Recorder = &script{said}
	var all []string
	for s, err := range p.Enroll(t.Context(), person) {
		switch {
		case err != nil:
			all = append(all, err.Error())
		case s.State != "say":
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %d %.8s", s.State, s.Good, s.Problem)))
		}
	}
	return strings.Join(all, ", ")
}

func TestWhoHasLeftTheirVoiceIsKnownByIt(t *testing.T) {
	p, conditions := newPrints(t, server(t, angled))
	if got := steps(t, p, "anna", voice(10), voice(200)[:audio.Rate], voice(100), voice(12), voice(14)); got !=
		"heard 1, heard 1 too shor, heard 1 not like, heard 2, heard 3, done 3" {
		t.Errorf("anna: %s", got)
	}
	if got := steps(t, p, "ben", voice(80), voice(80), voice(80)); !strings.HasSuffix(got, "done 3") {
		t.Errorf("ben: %s", got)
	}
	for degrees, want := range map[int]string{12: "anna", 30: "anna", 80: "ben", 60: "ben", 140: "", 46: ""} {
		if got := p.Who(t.Context(), voice(degrees)); got != want {
			t.Errorf("%d°: %q, want %q", degrees, got, want)
		}
	}
	if got := p.Who(t.Context(), voice(12)[:8*audio.Rate/10]); got != "" {
		t.Errorf("a third of a second is %q", got)
	}
	list, err := p.List(t.Context())
	if err != nil || len(list) != 2 || list[0].Person != "anna" || list[0].Prints != 3 || list[0].Model != "m" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := p.Remove(t.Context(), "anna"); err != nil {
		t.Error(err)
	}
	if err := p.Remove(t.Context(), "anna"); err == nil || p.Who(t.Context(), voice(12)) != "" {
		t.Errorf("a voice that was removed is known: %v", err)
	}
	if got := conditions.List(); len(got) > 0 {
		t.Errorf("conditions %+v", got)
	}
}

func TestVoiceThatCannotBeToldFromAnotherIsNotKept(t *testing.T) {
	p, _ := newPrints(t, server(t, angled))
	steps(t, p, "ben", voice(80), voice(80), voice(80))
	if got := steps(t, p, "anna", voice(75), voice(75), voice(75)); !strings.Contains(got, "too much like") {
		t.Errorf("anna: %s", got)
	}
	if got := p.Who(t.Context(), voice(77)); got != "ben" {
		t.Errorf("it is %q", got)
	}
}

func TestServerThatFailsLeavesEverybodyUnknown(t *testing.T) {
	complaint, err := wyoming.NewEvent(wyoming.Error, wyoming.Complaint{Text: "no model is installed", Code: "no-model"})
	if err != nil {
		t.Fatal(err)
	}
	zero, err := wyoming.NewEvent(wyoming.VoicePrint, wyoming.Print{Model: "m", Likely: 0.6, Print: []float32{0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for want, at := range map[string]string{
		"no model is installed": server(t, func([]int16) wyoming.Event { return complaint }),
		"it answers":            server(t, func([]int16) wyoming.Event { return wyoming.Event{Type: "pong"} }),
		"a print that is none":  server(t, func([]int16) wyoming.Event { return zero }),
		"connect":               "unix:" + filepath.Join(t.TempDir(), "none"),
	} {
		p, conditions := newPrints(t, at)
		if err := p.opt.Store.SetVoicePrints(t.Context(), "anna", "m", []float32{1, 0}); err != nil {
			t.Fatal(err)
		}
		if who := p.Who(t.Context(), voice(1)); who != "" {
			t.Errorf("%s: %q is known", want, who)
		}
		if c := conditions.List(); len(c) != 1 || c[0].Code != "voices" || !strings.Contains(c[0].Text, want) {
			t.Errorf("%s: conditions %+v", want, c)
		}
		if p.away() != true {
			t.Errorf("%s: it is asked again at once", want)
		}
		if got := steps(t, p, "anna", voice(1)); !strings.Contains(got, want) {
			t.Errorf("%s: enrolment says %s", want, got)
		}
	}
}

func TestPrintsOfAnotherModelSayNothing(t *testing.T) {
	p, _ := newPrints(t, server(t, angled))
	for _, model := range []string{"other", "m"} {
		err := p.opt.Store.SetVoicePrints(t.Context(), "anna", model, []float32{1, 0})
		if who := p.Who(t.Context(), voice(1)); err != nil || (who == "anna") != (model == "m") {
			t.Errorf("%s: %q, %v", model, who, err)
		}
	}
}

func TestEnrolmentIsRefusedWhereItCannotBe(t *testing.T) {
	p, _ := newPrints(t, "")
	if got := steps(t, p, "anna"); !strings.Contains(got, "memory.voices") {
		t.Error(got)
	}
	p, _ = newPrints(t, "unix:/none")
	if got := steps(t, p, "carl"); !strings.Contains(got, "memory.people") {
		t.Error(got)
	}
	if _, err := New(Options{Server: "10.0.0.7:10300", Store: &memory.Store{}}); err == nil ||
		!strings.Contains(err.Error(), "stay on this box") {
		t.Errorf("another machine: %v", err)
	}
}

func TestWhereNobodyHasLeftAVoiceTheServerIsNotMissed(t *testing.T) {
	p, conditions := newPrints(t, "unix:/nowhere")
	if got := steps(t, p, "anna", voice(10)); !strings.Contains(got, "no print") {
		t.Fatal(got)
	}
	if list := conditions.List(); len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	p.until = time.Time{}
	if who := p.Who(t.Context(), voice(10)); who != "" || len(conditions.List()) != 0 {
		t.Errorf("%q, %+v", who, conditions.List())
	}
}
