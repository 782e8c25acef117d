package doctor

import (
	"strings"
	"testing"
	"time"

	"hearthd/daemon/doctor"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// only gives the one finding of a check.
func only(t *testing.T, list []doctor.Finding, check string) doctor.Finding {
	t.Helper()
	var found []doctor.Finding
	for _, f := range list {
		if f.Check == check {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d findings of %s: %+v", len(found), check, list)
	}
	return found[0]
}

func TestWhoHoldsTheCardIsToBlameOnceItCannotBeUsed(t *testing.T) {
	holder := doctor.New(doctor.Holders, doctor.Warn, "pulseaudio holds the capture")
	for _, c := range []struct{ microphone, want doctor.Verdict }{{doctor.OK, doctor.Warn},
		{doctor.Fail, doctor.Fail}} {
		list := (&patient{}).settle([]doctor.Finding{holder, doctor.New(doctor.Microphone, c.microphone, "")})
		if got := only(t, list, doctor.Holders); got.Verdict != c.want {
			t.Errorf("microphone %s: %+v", c.microphone, got)
		}
	}
}

func TestMissingCardIsNoFaultWhereALSAReachesAnother(t *testing.T) {
	none := doctor.New(doctor.Cards, doctor.Fail, "the kernel knows no sound card")
	heard := doctor.New(doctor.Microphone, doctor.OK, "").With("noise_dbfs", -60)
	mute := doctor.New(doctor.Speaker, doctor.Fail, "")
	p := &patient{settings: map[string]string{"audio.capture": "pulse"}}
	if got := only(t, p.settle([]doctor.Finding{none, heard}), doctor.Cards); got.Verdict != doctor.OK ||
		!strings.HasSuffix(got.Text, "what ALSA calls pulse works all the same") {
		t.Errorf("heard: %+v", got)
	}
	if got := only(t, p.settle([]doctor.Finding{none, heard, mute}), doctor.Cards); got.Verdict != doctor.Fail {
		t.Errorf("heard, and the speaker is silent: %+v", got)
	}
	p.running, p.status.Muted = true, true
	if got := only(t, p.settle([]doctor.Finding{none}), doctor.Cards); got.Verdict != doctor.OK {
		t.Errorf("muted by hand: %+v", got)
	}
}

// A machine that has no sound for good is not broken.
func TestNoCardIsMissedWhereNoSoundIsWanted(t *testing.T) {
	none := doctor.New(doctor.Cards, doctor.Fail, "the kernel knows no sound card").With("cards", 0)
	p := &patient{settings: map[string]string{"wake.engine": "off", "audio.capture": "default", "audio.playback": "null"}}
	p.running = true
	if got := only(t, p.settle(append(p.sound(t.Context()), none)), doctor.Cards); got.Verdict != doctor.Skip {
		t.Errorf("%+v", got)
	}
	if got := only(t, p.sound(t.Context()), doctor.Microphone); got.Verdict != doctor.Skip {
		t.Errorf("%+v", got)
	}
	p.settings["audio.playback"] = "default"
	list := p.settle([]doctor.Finding{none, doctor.New(doctor.Microphone, doctor.Fail, "it is lost"),
		doctor.New(doctor.Speaker, doctor.Fail, "it is lost")})
	if len(list) != 1 || !strings.Contains(list[0].Fix, "config set audio.playback null") {
		t.Errorf("a box without any card is told of it as %+v", list)
	}
	if got := only(t, p.settle([]doctor.Finding{none}), doctor.Cards); got.Verdict != doctor.Fail {
		t.Errorf("a speaker is wanted: %+v", got)
	}
}

func TestADiskThatFailsIsToldOfOnce(t *testing.T) {
	why := doctor.New(doctor.Disk, doctor.Fail, "read-only: nothing is kept at /var/lib/hearthd")
	got := only(t, together([]doctor.Finding{why, doctor.New(doctor.Disk, doctor.Fail, "nothing can be written")}), doctor.Disk)
	if got.Text != why.Text {
		t.Errorf("%+v", got)
	}
	little := doctor.New(doctor.Disk, doctor.Warn, "nearly full")
	if got := only(t, together([]doctor.Finding{little, doctor.New(doctor.Disk, doctor.OK, "the memory is sound")}),
		doctor.Disk); got.Text != little.Text {
		t.Errorf("%+v", got)
	}
}

func TestConditionIsToldOnceWithItsCure(t *testing.T) {
	p := &patient{}
	p.status.Conditions = []event.Condition{
		{Code: "broker", Severity: health.Error, Text: "It is gone.", Since: time.Now()},
		{Code: "wake_server", Severity: health.Warning, Text: "It was away.", Since: time.Now()},
		{Code: "budget", Severity: health.Warning, Text: "It is spent.", Since: time.Now()},
		{Code: "console", Severity: health.Warning, Text: "bind: address already in use.", Since: time.Now()},
	}
	list := p.settle([]doctor.Finding{
		doctor.New(doctor.Broker, doctor.Fail, "connection refused").Mend("systemctl start mosquitto"),
		doctor.New(doctor.Wake, doctor.OK, "hey jarvis"),
	})
	if got := only(t, list, doctor.Broker); got.Text != "connection refused" {
		t.Errorf("what a check has found is told by it: %+v", got)
	}
	if got := only(t, list, doctor.Cloud); got.Verdict != doctor.Warn || !strings.Contains(got.Fix, "responder.daily") {
		t.Errorf("%+v", got)
	}
	if got := only(t, list, doctor.Condition); !strings.Contains(got.Fix, "ss -ltnp") ||
		!strings.Contains(got.Fix, "console.listen") {
		t.Errorf("%+v", got)
	}
	if got := only(t, list, doctor.Wake); !strings.HasSuffix(got.Text, "; it was well when it was tried now") {
		t.Errorf("%+v", got)
	}
	// The condition of the broker says itself what to do, and the cure nothing else.
	list = (&patient{status: p.status}).settle(nil)
	if got := only(t, list, doctor.Broker); strings.Contains(got.Fix, "off") || !strings.Contains(got.Fix, "mqtt.listen") {
		t.Errorf("%+v", got)
	}
}

func TestRightsAreToldInOneLineToWhoMayNotAsk(t *testing.T) {
	p := &patient{denied: true}
	list := p.settle([]doctor.Finding{doctor.New(doctor.Permissions, doctor.Warn, "you may not talk to hearthd"),
		doctor.New(doctor.Permissions, doctor.OK, "hearthd can read and write what it must")})
	if got := only(t, list, doctor.Permissions); got.Verdict != doctor.Warn {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsMeasuredIsNamedInWholeWords(t *testing.T) {
	var b strings.Builder
	s := &waiting{w: &b, names: []string{"permissions", "disk", "card use", "sound cards", "memory", "clock", "service",
		"wear", "temperature"}}
	s.done("disk")
	if got := strings.TrimPrefix(b.String(), "\r\x1b[K"); got !=
		"measuring: permissions, card use, sound cards, memory, clock and 3 more" {
		t.Errorf("%q", got)
	}
	b.Reset()
	s.names = []string{"voice", "thinker"}
	if s.done("voice"); !strings.HasSuffix(b.String(), "measuring: thinker") {
		t.Errorf("%q", b.String())
	}
}

func TestTheReportCountsInPlainEnglish(t *testing.T) {
	for n, want := range map[int]string{1: "0 failed, 1 warning, ", 2: "0 failed, 2 warnings, "} {
		var b strings.Builder
		r := &Report{}
		for range n {
			r.Findings = append(r.Findings, doctor.New(doctor.Wake, doctor.Warn, "x"))
		}
		if r.show(&b); !strings.Contains(b.String(), want) {
			t.Errorf("%s", b.String())
		}
	}
}

// A check that joins the embedded broker's port meets the other program that has it.
func TestNothingIsBrokenAndWellAtOnce(t *testing.T) {
	p := &patient{}
	p.status.Conditions = []event.Condition{{Code: "broker", Severity: health.Error,
		Text: "Another program listens there.", Since: time.Now()}}
	for _, f := range []doctor.Finding{
		doctor.New(doctor.Broker, doctor.OK, "127.0.0.1:1883, joined in 1 ms"),
		doctor.New(doctor.Broker, doctor.Skip, "the embedded broker does not answer at 127.0.0.1:1883"),
	} {
		list := p.settle([]doctor.Finding{f})
		if got := only(t, list, doctor.Broker); got.Verdict != doctor.Fail || !strings.HasPrefix(got.Text, "Another program") {
			t.Errorf("%+v", got)
		}
	}
}

func TestFindingsOfOneCheckThatAreWellAreOne(t *testing.T) {
	list := together([]doctor.Finding{
		doctor.New(doctor.Files, doctor.OK, "3 tools").With("tools", 3),
		doctor.New(doctor.Files, doctor.Fail, "a.yaml"),
		doctor.New(doctor.Files, doctor.OK, "2 thinkers").With("thinkers", 2),
	})
	if len(list) != 2 || list[0].Text != "3 tools; 2 thinkers" || len(list[0].Numbers) != 2 {
		t.Errorf("%+v", list)
	}
}

func TestMistakeIsOpenedWhereItStands(t *testing.T) {
	for problem, want := range map[string]string{
		"/etc/hearthd/conf.d/a.yaml:12: audio.volume: \"x\": must be a whole number": "sudoedit /etc/hearthd/conf.d/a.yaml",
		"environment: audio.volume: must be a whole number":                          "sudoedit /etc/hearthd/hearthd.yaml",
		"/etc/hearthd/hearthd.yaml: it is a folder":                                  "sudoedit /etc/hearthd/hearthd.yaml",
	} {
		if got := editor(problem); got != want {
			t.Errorf("%s: %s", problem, got)
		}
	}
}
