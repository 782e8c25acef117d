package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWakeWordsAreListedWithWhatTheyDo(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/wake", 200, `[{"model":"hey_jarvis","name":"jarvis","type":"model","configured":true,"kind":"wake","route":"local"},`+
		`{"model":"stop","name":"stop","type":"model","configured":true,"kind":"stop"},`+
		`{"model":"alexa","name":"alexa","type":"server","configured":true,"kind":"wake"},`+
		`{"model":"gone","name":"gone","type":"model","configured":true,"kind":"wake","error":"open gone.json: no such file\u001b[2J"},`+
		`{"model":"hey_hearth","name":"hey hearth","type":"enrolled","configured":false}]`)
	f.run(t, "wake", "list").golden(t, "wake_list.txt")
	f.answer("/v1/wake", 200, "[]")
	f.run(t, "wake", "list").expect(t, outcome{stdout: "no wake words; hearthctl wake install or enroll adds one\n"})
	f.run(t, "wake", "list", "--json").expect(t, outcome{stdout: "[]\n"})
}

const enrolment = ": hearthd\n\n" +
	`data: {"state":"say","good":0,"of":3}` + "\n\n" +
	`data: {"state":"heard","good":0,"of":3,"problem":"too quiet: speak up or come closer"}` + "\n\n: \n\n" +
	`data: {"state":"say","good":0,"of":3}` + "\n\n" +
	`data: {"state":"heard","good":1,"of":3,"seconds":0.82,"level_dbfs":-27.6}` + "\n\n"

func TestEnrolmentAsksAndSaysWhetherTheRecordingsAgree(t *testing.T) {
	f := newFake(t)
	f.answer("/v1/wake/enroll", 200, enrolment+`data: {"state":"done","good":3,"of":3,"spread":0.4,"model":"hey_hearth"}`+"\n\n")
	f.run(t, "wake", "enroll", "hey", "hearth").golden(t, "wake_enroll.txt")
	if got := f.asked(); got != `POST /v1/wake/enroll {"name":"hey hearth"}` {
		t.Errorf("asked %s", got)
	}
	if o := f.run(t, "wake", "enroll", "hey hearth", "--json"); o.code != 0 || strings.Count(o.stdout, "\n") != 5 {
		t.Errorf("%+v", o)
	}
	for tail, want := range map[string]string{
		`data: {"error":"nothing was heard within 20 s"}` + "\n\n": "nothing was heard within 20 s",
		"":            "hearthd has ended the stream",
		"data: x\n\n": "read step: invalid character 'x' looking for beginning of value",
	} {
		f.answer("/v1/wake/enroll", 200, enrolment+tail)
		if o := f.run(t, "wake", "enroll", "hey hearth"); o.code != 1 || o.stderr != "hearthctl: "+want+"\n" {
			t.Errorf("%q: %+v", tail, o)
		}
	}
	f.answer("/v1/wake/enroll", 409, `{"error":"hearthd is muted; run hearthctl unmute"}`)
	f.run(t, "wake", "enroll", "a").expect(t, outcome{stderr: "hearthctl: hearthd is muted; run hearthctl unmute\n", code: 1})
}

func TestWakeTestShowsScoresAndWhatWasHeard(t *testing.T) {
	f := newFake(t)
	f.hang("/v1/meter", meterBody(10, goodReadings))
	f.hang("/v1/events", `data: {"type":"woken","by":"hey hearth","score":0.97}`+"\n\n"+`data: {"type":"woken","by":"button"}`+"\n\n")
	got := make(chan outcome)
	go func() { got <- f.run(t, "wake", "test", "--seconds", "1") }()
	<-f.hanging
	<-f.hanging
	o := <-got
	if o.code != 0 || o.stderr != "" || !strings.HasPrefix(o.stdout, "Say a wake word; this ends after 1s.\n") ||
		!strings.Contains(o.stdout, "hey hearth 0.62, stop 0.01\n") || strings.Contains(o.stdout, "button") {
		t.Errorf("%+v", o)
	}
}

func TestWakeTestOfARecordingRunsHearthd(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\"\ntest \"$3\" != bad.wav\n"
	if err := os.WriteFile(filepath.Join(dir, "hearthd"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	try := func(args ...string) outcome {
		cmd := command(t.Context(), t, append([]string{"wake", "test"}, args...)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return finish(t, cmd)
	}
	try("-a b.wav").expect(t, outcome{stderr: "hearthctl: unknown shorthand flag: 'a' in -a b.wav\n", code: 1})
	try("--", "-a b.wav").expect(t, outcome{stdout: "hear -- -a b.wav\n"})
	try("--json", "c.wav").expect(t, outcome{stdout: "hear --json -- c.wav\n"})
	try("bad.wav").expect(t, outcome{stdout: "hear -- bad.wav\n", stderr: "hearthctl: run hearthd hear: exit status 1\n", code: 1})
}
