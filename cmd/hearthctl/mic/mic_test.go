package mic

import (
	"hearthd/rigs/ctltest"

	"encoding/json"
	"strings"
	"testing"

	"hearthd/daemon/api"
)

const (
	wellBody = `{"state":"idle","muted":false,"conditions":[]}`
	deafBody = `{"state":"faulted","muted":true,"conditions":[{"code":"microphone","severity":"error","text":"The microphone \"default\" does not work."}]}`
)

func TestMicTestShowsTheLevelAndSaysWhatToChange(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, wellBody)
	f.Hang("/v1/meter", ctltest.Meter(25, ctltest.Speech))
	got := make(chan ctltest.Outcome)
	go func() { got <- f.Run(t, "mic", "test", "--seconds", "1") }()
	<-f.Hanging
	(<-got).Golden(t, "mic.txt")
	if asked := f.Asked(); asked != "GET /v1/status, GET /v1/config, GET /v1/meter" {
		t.Errorf("asked %s", asked)
	}
}

func TestMicTestLetsTheSpeakerSpeakFirst(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, wellBody)
	f.Hang("/v1/meter", ctltest.Meter(10,
		`"level_dbfs":-30,"quiet_dbfs":-40,"peak_dbfs":-20,"speech":0.2,"speaks":true,"echo":{"active":true,"suppression_db":21.4,"delay_ms":74.5,"drift_ppm":-3}`)+
		strings.TrimPrefix(ctltest.Meter(10, strings.TrimSuffix(ctltest.Speech,
			`,"wake":{"stop":0.01,"hey hearth":0.625}`)+
			`,"echo":{"active":false,"suppression_db":21.4,"delay_ms":74.5,"drift_ppm":-3}`), ": hearthd\n\n"))
	got := make(chan ctltest.Outcome)
	go func() { got <- f.Run(t, "mic", "test", "--play", "--seconds", "1", "--json") }()
	<-f.Hanging
	o := <-got
	lines := strings.Split(strings.TrimSpace(o.Stdout), "\n")
	if len(lines) != 21 || o.Code != 0 || o.Stderr != "" {
		t.Fatalf("%d lines, %+v", len(lines), o)
	}
	var r micResult
	if err := json.Unmarshal([]byte(lines[20]), &r); err != nil || !r.Good || *r.Suppression != 21.4 ||
		*r.Delay != 74.5 || *r.Speech > -27 || *r.Floor != -61.2 {
		t.Errorf("%s: %v", lines[20], err)
	}
	if asked := f.Asked(); !strings.HasPrefix(asked,
		`GET /v1/status, GET /v1/config, POST /v1/say {"text":"This is a test of the microphone.`) ||
		!strings.HasSuffix(asked, "GET /v1/meter") {
		t.Errorf("asked %s", asked)
	}
}

func TestMicTestDoesNotWaitForAMicrophoneThatIsKnownToBeDeaf(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, deafBody)
	f.Run(t, "mic", "test").Expect(t, ctltest.Outcome{Stdout: "Nothing comes from the microphone: hearthd is muted; " +
		"run hearthctl unmute.\n"})
	f.Run(t, "mic", "test", "--json").Expect(t, ctltest.Outcome{
		Stdout: `{"good":false,"advice":"Nothing comes from the microphone: hearthd is muted; run hearthctl unmute.","clipped_share":0}` + "\n",
	})
	if asked := f.Asked(); asked != "GET /v1/status, GET /v1/status" {
		t.Errorf("asked %s", asked)
	}
}

func TestMicTestSaysThatTheMicrophoneStaysClosed(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, wellBody)
	f.Answer("/v1/config", 200, `{"running":[{"key":"wake.engine","value":"\"off\""}]}`)
	f.Run(t, "mic", "test").Expect(t, ctltest.Outcome{Code: 1, Stderr: "hearthctl: wake.engine is off, so the microphone " +
		"stays closed; to open it: sudo hearthctl config set wake.engine phrase (or button), sudo systemctl restart hearthd\n"})
	if asked := f.Asked(); asked != "GET /v1/status, GET /v1/config" {
		t.Errorf("asked %s", asked)
	}
}

func TestMicTestEndsWhenItsStreamDoes(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, wellBody)
	f.Answer("/v1/meter", 200, ctltest.Meter(1, ctltest.Speech))
	if o := f.Run(t, "mic", "test"); o.Code != 1 || o.Stderr != "hearthctl: hearthd has ended the stream\n" {
		t.Errorf("%+v", o)
	}
	f.Answer("/v1/meter", 503, `{"error":"too many streams are open"}`)
	if o := f.Run(t, "mic", "test"); o.Code != 1 || !strings.Contains(o.Stderr, "too many streams are open") {
		t.Errorf("%+v", o)
	}
	f.Answer("/v1/meter", 200, "data: nonsense\n\n")
	if o := f.Run(t, "mic", "test"); o.Code != 1 || !strings.HasPrefix(o.Stderr, "hearthctl: read level: ") {
		t.Errorf("%+v", o)
	}
	for _, n := range []string{"0", "3601", "-1"} {
		if o := f.Run(t, "mic", "test", "--seconds", n); o.Code != 1 ||
			!strings.Contains(o.Stderr, "is not from 1 to 3600") {
			t.Errorf("%s: %+v", n, o)
		}
	}
}

func TestAdviceNamesTheFirstThingToChange(t *testing.T) {
	speaks := func(r *api.Meter) { r.Speaks = true }
	held := func(r *api.Meter) { r.Speaks, r.Held = true, true }
	late := float32(90.)
	echo := func(active bool, db float32) func(*api.Meter) {
		return func(r *api.Meter) {
			r.Speaks = active
			r.Echo = &api.MeterEcho{Active: active, Suppression: db, DelayMS: &late}
		}
	}
	r := func(level, quiet, peak, speech float32, more ...func(*api.Meter)) api.Meter {
		one := api.Meter{Level: level, Quiet: quiet, Peak: peak, Speech: speech}
		for _, m := range more {
			m(&one)
		}
		return one
	}
	nowhere := func(r *api.Meter) { r.Echo.DelayMS = nil }
	clipped := func(r *api.Meter) { r.Clipped = 4 }
	good := r(-27, -60, -15, 0.9)
	for _, c := range []struct {
		name string
		m    Test
		list []api.Meter
		want string
	}{
		{"muted", Test{Muted: true}, nil, "Nothing comes from the microphone: hearthd is muted; run hearthctl unmute."},
		{"gone", Test{Trouble: `The microphone "x" does not work.`}, nil,
			`Nothing comes from the microphone: The microphone "x" does not work. arecord -L lists the cards for audio.capture.`},
		{"deaf", Test{}, nil, "Nothing comes from the microphone: look at hearthctl status and journalctl -u hearthd."},
		{"switched off", Test{}, []api.Meter{r(-96, -96, -96, 0)}, "Nothing but digital silence comes from the " +
			"microphone: unmute it with alsamixer (F4 shows capture), or choose another card with audio.capture."},
		{"clips", Test{}, []api.Meter{good, r(-3, -60, 0, 0.9, clipped)}, "The microphone clips: lower the capture " +
			"volume by 6 dB or more with alsamixer (F4 shows capture)."},
		{"nobody", Test{}, []api.Meter{r(-58, -60, -52, 0.1)}, "Nobody was heard: speak during the test. If you did, " +
			"raise the capture volume with alsamixer (F4 shows capture)."},
		{"noise, whose samples go 13 dB above its level", Test{}, repeat(r(-59, -60, -46, 0.1), 20),
			"Nobody was heard: speak during the test. If you did, raise the capture volume with alsamixer (F4 shows " +
				"capture)."},
		{"dishes", Test{}, []api.Meter{r(-20, -60, -5, 0.1)},
			"No speech was heard, but other sound: speak during the test, nearer to the microphone."},
		{"quiet", Test{}, []api.Meter{r(-44, -75, -32, 0.9)},
			"Speech is 18 dB too quiet: raise the capture volume with alsamixer (F4 shows capture)."},
		{"loud", Test{}, []api.Meter{r(-8, -50, -1, 0.9)},
			"Speech is 18 dB too loud: lower the capture volume with alsamixer (F4 shows capture)."},
		{"noisy", Test{}, []api.Meter{r(-27, -35, -15, 0.9)}, "Speech is only 8 dB above the noise: move the " +
			"microphone towards you, or away from what makes the noise."},
		{"no canceller", Test{Played: true}, []api.Meter{r(-20, -40, -8, 0.9, held), good},
			"All is well, but what the speaker says is not taken out of the microphone: audio.aec: auto lets you " +
				"interrupt it."},
		{"no sound", Test{Played: true}, []api.Meter{r(-27, -60, -15, 0.9, echo(false, 0))},
			"The microphone is well, but the speaker was not heard to speak: is its volume 0? See hearthctl status."},
		{"no speaker", Test{Played: true, mute: `The speaker "x" does not work.`}, []api.Meter{good},
			`The microphone is well, but the speaker is not: The speaker "x" does not work.`},
		{"no sound and no canceller", Test{Played: true}, []api.Meter{good}, "The microphone is well, but the " +
			"speaker was not heard to speak: is its volume 0? See hearthctl status."},
		{"cancelled by the microphone", Test{Played: true}, []api.Meter{r(-55, -60, -40, 0.6, speaks), good},
			"All is well: nothing need be changed."},
		{"not cancelled by the microphone", Test{Played: true}, []api.Meter{r(-25, -60, -15, 0.9, speaks), good},
			"The microphone leaves 35 dB of what the speaker says above the noise: turn the speaker down, or try " +
				"audio.aec: auto."},
		{"the speaker alone", Test{Played: true}, []api.Meter{r(-25, -60, -15, 0.9, speaks), r(-58, -60, -52, 0.1)},
			"Nobody was heard: speak during the test. If you did, raise the capture volume with alsamixer (F4 shows capture)."},
		{"echo", Test{Played: true}, []api.Meter{r(-25, -30, -15, 0.9, echo(true, 9)),
			r(-27, -60, -15, 0.9, echo(false, 9))},
			"Only 9 dB of the speaker's own sound is taken away: turn it down, or move the microphone away from it."},
		{"no echo, or one too late", Test{Played: true},
			[]api.Meter{r(-25, -30, -15, 0.9, echo(true, 0), nowhere), r(-27, -60, -15, 0.9, echo(false, 0), nowhere)},
			"The speaker is not found in what the microphone hears: turn it up. If you hear it well, it sounds more " +
				"than half a second late; audio.aec: off is for that."},
		{"all cancelled", Test{Played: true}, []api.Meter{r(-25, -30, -15, 0.1, echo(true, 25)),
			r(-27, -60, -15, 0.9, echo(false, 25))}, "All is well: nothing need be changed."},
		{"one plop", Test{}, append(repeat(good, 99), r(-3, -60, 0, 0.1, clipped)),
			"All is well: nothing need be changed."},
	} {
		for i := range c.list {
			c.m.Add(&c.list[i])
		}
		if got, ok := c.m.advice(); got != c.want || ok != strings.HasPrefix(got, "All is well") {
			t.Errorf("%s: %q (%v), want %q", c.name, got, ok, c.want)
		}
	}
}

func repeat(r api.Meter, n int) []api.Meter {
	list := make([]api.Meter, n)
	for i := range list {
		list[i] = r
	}
	return list
}

func TestBarStaysWithinItsWidth(t *testing.T) {
	for _, db := range []float32{-500, -96, -70, -35, -1, 0, 90} {
		if got := bar(&api.Meter{Level: db, Peak: db + 3}); len(got) != barCells {
			t.Errorf("at %v dBFS the bar is %q", db, got)
		}
	}
	if got, want := bar(&api.Meter{Level: -36, Peak: -20}), "#################       |          "; got != want {
		t.Errorf("bar %q, want %q", got, want)
	}
}
