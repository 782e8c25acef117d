package wake

import (
	"hearthd/rigs/ctltest"

	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWakeWordsAreListedWithWhatTheyDo(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/wake", 200,
		`[{"model":"hey_jarvis","name":"jarvis","type":"model","configured":true,"kind":"wake","route":"local"},`+
			`{"model":"stop","name":"stop","type":"model","configured":true,"kind":"stop"},`+
			`{"model":"alexa","name":"alexa","type":"server","configured":true,"kind":"wake"},`+
			`{"model":"gone","name":"gone","type":"model","configured":true,"kind":"wake","error":"open gone.json: no such file\u001b[2J"},`+
			`{"model":"hey_hearth","name":"hey hearth","type":"enrolled","configured":false}]`)
	f.Run(t, "wake", "list").Golden(t, "wake_list.txt")
	f.Answer("/v1/wake", 200, "[]")
	f.Run(t, "wake", "list").Expect(t, ctltest.Outcome{Stdout: "no wake words beside the wake phrase, which is " +
		"heard in what is said (hearthctl config show wake); hearthctl wake\ninstall or enroll adds one\n"})
	f.Run(t, "wake", "list", "--json").Expect(t, ctltest.Outcome{Stdout: "[]\n"})
	for engine, want := range map[string]string{
		"off":    "wake.engine is off: the microphone stays closed, and no word is heard\n",
		"button": "no wake words: a button opens a turn; hearthctl wake install or enroll adds one\n",
	} {
		f.Answer("/v1/config", 200, `{"running":[{"key":"wake.engine","value":"`+engine+`"}]}`)
		f.Run(t, "wake", "list").Expect(t, ctltest.Outcome{Stdout: want})
	}
}

const enrolment = ": hearthd\n\n" +
	`data: {"state":"say","good":0,"of":3}` + "\n\n" +
	`data: {"state":"heard","good":0,"of":3,"problem":"too quiet: speak up or come closer"}` + "\n\n: \n\n" +
	`data: {"state":"say","good":0,"of":3}` + "\n\n" +
	`data: {"state":"heard","good":1,"of":3,"seconds":0.82,"level_dbfs":-27.6}` + "\n\n"

func TestEnrolmentAsksAndSaysWhetherTheRecordingsAgree(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/wake/enroll", 200, enrolment+
		`data: {"state":"done","good":3,"of":3,"spread":0.4,"model":"hey_hearth"}`+"\n\n")
	f.Run(t, "wake", "enroll", "hey", "hearth").Golden(t, "wake_enroll.txt")
	if got := f.Asked(); got != `POST /v1/wake/enroll {"name":"hey hearth"}` {
		t.Errorf("asked %s", got)
	}
	if o := f.Run(t, "wake", "enroll", "hey hearth", "--json"); o.Code != 0 || strings.Count(o.Stdout, "\n") != 5 {
		t.Errorf("%+v", o)
	}
	for tail, want := range map[string]string{
		`data: {"error":"nothing was heard within 20 s"}` + "\n\n": "nothing was heard within 20 s",
		"":            "hearthd has ended the stream",
		"data: x\n\n": "read step: invalid character 'x' looking for beginning of value",
	} {
		f.Answer("/v1/wake/enroll", 200, enrolment+tail)
		if o := f.Run(t, "wake", "enroll", "hey hearth"); o.Code != 1 || o.Stderr != "hearthctl: "+want+"\n" {
			t.Errorf("%q: %+v", tail, o)
		}
	}
	f.Answer("/v1/wake/enroll", 409, `{"error":"hearthd is muted; run hearthctl unmute"}`)
	f.Run(t, "wake", "enroll", "a").Expect(t, ctltest.Outcome{Stderr: "hearthctl: hearthd is muted; run hearthctl " +
		"unmute\n", Code: 1})
}

func TestWakeTestShowsScoresAndWhatWasHeard(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Hang("/v1/meter", ctltest.Meter(10, ctltest.Speech))
	f.Hang("/v1/events", `data: {"type":"woken","by":"hey hearth","score":0.97}`+"\n\n"+
		`data: {"type":"woken","by":"button"}`+"\n\n")
	got := make(chan ctltest.Outcome)
	go func() { got <- f.Run(t, "wake", "test", "--seconds", "1") }()
	<-f.Hanging
	<-f.Hanging
	o := <-got
	if o.Code != 0 || o.Stderr != "" || !strings.HasPrefix(o.Stdout, "Say a wake word; this ends after 1s.\n") ||
		!strings.Contains(o.Stdout, "hey hearth 0.62, stop 0.01\n") || strings.Contains(o.Stdout, "button") {
		t.Errorf("%+v", o)
	}
}

func TestWakeTestOfARecordingRunsHearthd(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\"\ntest \"$3\" != bad.wav\n"
	if err := os.WriteFile(filepath.Join(dir, "hearthd"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	try := func(args ...string) ctltest.Outcome {
		cmd := ctltest.Command(t.Context(), t, append([]string{"wake", "test"}, args...)...)
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
		return ctltest.Finish(t, cmd)
	}
	try("-a b.wav").Expect(t, ctltest.Outcome{Stderr: "hearthctl: unknown shorthand flag: 'a' in -a b.wav\n", Code: 1})
	try("--", "-a b.wav").Expect(t, ctltest.Outcome{Stdout: "hear -- -a b.wav\n"})
	try("--json", "c.wav").Expect(t, ctltest.Outcome{Stdout: "hear --json -- c.wav\n"})
	try("bad.wav").Expect(t, ctltest.Outcome{Stdout: "hear -- bad.wav\n",
		Stderr: "hearthctl: run hearthd hear: exit status 1\n", Code: 1})
}
