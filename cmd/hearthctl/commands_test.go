package main

import (
	"hearthd/rigs/ctltest"

	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"hearthd/cmd/hearthctl/ctl"
)

const (
	statusBody = `{"node":"kitchen","version":"0.1.0","state":"idle","muted":false,"volume":40,"turns":9,` +
		`"uptime_s":3723,"frames":186150,"dropped":0,"broker":"connected","conditions":[],"timers":[]}`
	// A daemon with trouble, timers that end just now, and a field that this
	// hearthctl does not know.
	troubleBody = `{"node":"kitchen","version":"0.1.0","state":"faulted","muted":true,"volume":0,"turns":0,` +
		`"uptime_s":5,"frames":0,"dropped":320,"broker":"connecting","route":"local","heard":{"wyoming":30,"pocketsphinx":12},` +
		`"conditions":[{"code":"microphone","severity":"error","text":"The microphone \"default\" does not work.","since":"2026-11-20T18:30:00.5+01:00"},` +
		`{"code":"voice","severity":"warning","text":"Text to speech does not work.","since":"2026-11-20T18:31:00+01:00"}],"ringing":[{"id":2,"kind":"timer","label":"bread","ends":"2020-11-20T18:30:00Z"}],"timers":` + timersBody + `}`
	timersBody = `[{"id":3,"label":"pasta","ends":"2020-11-20T18:40:00Z"},{"id":4,"ends":"2020-11-20T18:50:00.25Z"}]`
)

func TestStatusShowsWhatIsAndWhatIsWrong(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, statusBody)
	f.Run(t, "status").Golden(t, "status.txt")
	f.Answer("/v1/status", 200, troubleBody)
	f.Run(t, "status").Golden(t, "status_trouble.txt")
	f.Run(t, "status", "--json").Golden(t, "status_trouble.json")
	if got := f.Asked(); got != "GET /v1/status, GET /v1/status, GET /v1/status" {
		t.Errorf("asked %s", got)
	}
}

func TestTimersAreListed(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/timers", 200, timersBody)
	f.Run(t, "timers").Golden(t, "timers.txt")
	f.Run(t, "--json", "timers").Golden(t, "timers.json")
	f.Answer("/v1/timers", 200, "[]")
	f.Run(t, "timers").Expect(t, ctltest.Outcome{Stdout: "no timers\n"})
	f.Run(t, "timers", "--json").Expect(t, ctltest.Outcome{Stdout: "[]\n"})
}

func TestVolumeWithoutANumberIsShown(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, statusBody)
	f.Run(t, "volume").Expect(t, ctltest.Outcome{Stdout: "40 %\n"})
	f.Run(t, "volume", "--json").Expect(t, ctltest.Outcome{Stdout: "{\n  \"percent\": 40\n}\n"})
}

func TestAskWithoutWordsReadsThem(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/ask", 200, `{"outcome":"answered","answer":"It is noon."}`)
	cmd := ctltest.Command(t.Context(), t, "--socket", f.Path, "ask")
	cmd.Stdin = strings.NewReader(" what time is it \n")
	ctltest.Finish(t, cmd).Expect(t, ctltest.Outcome{Stdout: "It is noon.\n"})
	if got := f.Asked(); got != `POST /v1/ask {"text":"what time is it"}` {
		t.Errorf("asked %s", got)
	}
}

func TestCostShowsTheResponderOnly(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, statusBody)
	f.Run(t, "cost").Expect(t, ctltest.Outcome{Stdout: "There is no responder: nothing is spent. See responder.url.\n"})
	f.Run(t, "cost", "--json").Expect(t, ctltest.Outcome{Stdout: "null\n"})
	f.Answer("/v1/status", 200,
		`{"responder":{"day":0.125,"month":2,"daily_budget":1,"monthly_budget":10,"currency":"EUR"}}`)
	f.Run(t, "cost").Expect(t, ctltest.Outcome{Stdout: "today:          0.12 of 1.00 EUR\nthis month:     2.00 of " +
		"10.00 EUR\n"})
	f.Run(t, "cost", "--json").Expect(t, ctltest.Outcome{Stdout: "{\n  \"day\": 0.125,\n  \"month\": 2,\n  " +
		"\"daily_budget\": 1,\n  \"monthly_budget\": 10,\n  \"currency\": \"EUR\"\n}\n"})
}

func TestAlarmsAndRemindersAreListedBesideTimers(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/timers", 200, `[{"id":1,"kind":"timer","label":"egg","ends":"2020-11-20T18:40:00Z","left_s":90},`+
		`{"id":2,"kind":"alarm","ends":"2026-11-23T06:30:00Z","repeat":"FREQ=WEEKLY;BYDAY=MO"},`+
		`{"id":3,"kind":"reminder","label":"to call mum","ends":"2026-11-23T18:00:00+13:00"}]`)
	f.Run(t, "timers").Expect(t, ctltest.Outcome{Stdout: "timer egg: paused, 1m30s left\n" +
		"alarm number 2: Mon 23 Nov 06:30, again every Monday\nreminder to call mum: Mon 23 Nov 18:00\n"})
}

func TestListsAreExported(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/lists", 200, `{"shopping":["milk","olive oil"],"diy":["nails"]}`)
	f.Run(t, "lists").Expect(t, ctltest.Outcome{Stdout: "diy:\n  nails\n\nshopping:\n  milk\n  olive oil\n"})
	f.Run(t, "lists", "Shopping").Expect(t, ctltest.Outcome{Stdout: "milk\nolive oil\n"})
	f.Run(t, "lists", "garden").Expect(t, ctltest.Outcome{Stderr: "hearthctl: nothing is on the list \"garden\"\n",
		Code: 1})
	f.Answer("/v1/lists", 200, `{}`)
	f.Run(t, "lists").Expect(t, ctltest.Outcome{Stdout: "all lists are empty\n"})
	f.Run(t, "lists", "--json").Expect(t, ctltest.Outcome{Stdout: "{}\n"})
}

func TestCommandsAreSentAndSilent(t *testing.T) {
	f := ctltest.NewFake(t)
	for _, c := range []struct{ line, want string }{
		{"say dinner is ready", `POST /v1/say {"text":"dinner is ready"}`},
		{"announce dinner --urgent", `POST /v1/announce {"text":"dinner","priority":"urgent"}`},
		{"announce --chime=false dinner", `POST /v1/announce {"text":"dinner","chime":false}`},
		{"listen", "POST /v1/listen {}"},
		{"stop", "POST /v1/stop {}"},
		{"mute", `POST /v1/mute {"muted":true}`},
		{"unmute", `POST /v1/mute {"muted":false}`},
		{"volume 0", `POST /v1/volume {"percent":0}`},
		{"volume 100", `POST /v1/volume {"percent":100}`},
	} {
		f.Run(t, strings.Fields(c.line)...).Expect(t, ctltest.Outcome{})
		if got := f.Asked(); got != c.want {
			t.Errorf("%s: asked %s, want %s", c.line, got, c.want)
		}
		f.Run(t, append(strings.Fields(c.line), "--json")...).Expect(t,
			ctltest.Outcome{Stdout: "{\n  \"ok\": true\n}\n"})
		f.Asked()
	}
}

func TestMistakesAreNamedAndSendNothing(t *testing.T) {
	f := ctltest.NewFake(t)
	for _, c := range []struct{ line, want string }{
		{"volume 1 2", "accepts at most 1 arg(s), received 2"},
		{"volume loud", `volume "loud" is not a whole number from 0 to 100`},
		{"volume 101", `volume "101" is not a whole number from 0 to 100`},
		{"volume -- -1", `volume "-1" is not a whole number from 0 to 100`},
		{"volume 99999999999999999999", `volume "99999999999999999999" is not a whole number from 0 to 100`},
		{"say", "requires at least 1 arg(s), only received 0"},
		{"ask", "nothing was asked; for example: hearthctl ask what time is it"},
		{"dance", `unknown command "dance" for "hearthctl"`},
		{"stop now", `unknown command "now" for "hearthctl stop"`},
	} {
		f.Run(t, strings.Fields(c.line)...).Expect(t, ctltest.Outcome{Stderr: "hearthctl: " + c.want + "\n", Code: 1})
	}
	if got := f.Asked(); got != "" {
		t.Errorf("asked %s", got)
	}
}

func TestAskPrintsWhatAnAnswerRestsOn(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/ask", 200,
		`{"outcome":"answered","answer":"Seed it.","sources":[{"title":"Bread","url":"https://example.org/bread"},{"title":"Oven"}]}`)
	f.Run(t, "ask", "how").Expect(t, ctltest.Outcome{Stdout: "Seed it.\nfrom: Bread " +
		"https://example.org/bread\nfrom: Oven\n"})
}

func TestAskPrintsTheAnswerAndFailsWhenThereIsNone(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/ask", 200,
		`{"type":"turn","turn":9,"route":"intent","outcome":"answered","answer":"It is noon.\u001b[2J","stages_ms":{"total":40}}`)
	f.Run(t, "ask", "what", "time is it").Expect(t, ctltest.Outcome{Stdout: "It is noon. [2J\n"})
	f.Run(t, "ask", "what", "time is it", "--json").Golden(t, "ask.json")
	if got, want := f.Asked(), `POST /v1/ask {"text":"what time is it"}`; got != want+", "+want {
		t.Errorf("asked %s", got)
	}
	f.Answer("/v1/ask", 200, `{"outcome":"failed","reason":"no_thinker","answer":"I cannot answer that."}`)
	f.Run(t, "ask", "why").Expect(t, ctltest.Outcome{
		Stdout: "I cannot answer that.\n", Code: 1,
	})
	f.Answer("/v1/ask", 200, `{"outcome":"interrupted"}`)
	f.Run(t, "ask", "why").Expect(t, ctltest.Outcome{Stderr: "hearthctl: the request was not fulfilled: interrupted\n",
		Code: 1})
	f.Run(t, "ask", "why", "--json").Expect(t, ctltest.Outcome{
		Stdout: "{\n  \"outcome\": \"interrupted\"\n}\n", Stderr: "hearthctl: the request was not fulfilled: " +
			"interrupted\n", Code: 1,
	})
}

func TestRefusalsAndStrangeAnswersFail(t *testing.T) {
	f := ctltest.NewFake(t)
	for _, c := range []struct {
		code       int
		body, want string
	}{
		{409, `{"error":"busy: somebody is speaking"}`, "busy: somebody is speaking"},
		{503, `{"error":"hearthd is shutting down"}`, "hearthd is shutting down"},
		{404, "404 page not found", "hearthd answered 404 Not Found"},
		{500, `{"error":""}`, "hearthd answered 500 Internal Server Error"},
		{200, "<html>", "read answer: invalid character '<' looking for beginning of value"},
		{200, "", "read answer: unexpected end of JSON input"},
		{200, "[" + strings.Repeat(" ", 2<<20) + "]", "read answer: unexpected end of JSON input"},
	} {
		f.Answer("/v1/status", c.code, c.body)
		f.Run(t, "status").Expect(t, ctltest.Outcome{Stderr: "hearthctl: " + c.want + "\n", Code: 1})
	}
	f.Answer("/v1/say", 409, `{"error":"text is empty"}`)
	f.Run(t, "say", " ", "--json").Expect(t, ctltest.Outcome{Stderr: "hearthctl: text is empty\n", Code: 1})
}

func TestDaemonThatDoesNotRunIsSaidSo(t *testing.T) {
	dir := t.TempDir()
	missing, stale := filepath.Join(dir, "missing"), filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	for _, socket := range []string{missing, stale} {
		for _, line := range []string{"status", "volume 40", "ask why", "say a", "events", "events -f",
			"timers --json"} {
			ctltest.Run(t, append([]string{"--socket", socket}, strings.Fields(line)...)...).Expect(t, ctltest.Outcome{
				Stderr: "hearthctl: hearthd does not run (nothing answers on " + socket +
					"); sudo hearthctl doctor says why\n", Code: 1,
			})
		}
	}
}

func TestUsersOwnDaemonIsFoundWhereNoServiceRuns(t *testing.T) {
	if _, err := os.Stat(ctl.ServiceSocket); err == nil {
		t.Skip("hearthd runs on this machine")
	}
	f := ctltest.NewFake(t)
	own := t.TempDir()
	if err := os.Mkdir(filepath.Join(own, "hearthd"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(f.Path, filepath.Join(own, "hearthd", "control.sock")); err != nil {
		t.Fatal(err)
	}
	cmd := ctltest.Command(t.Context(), t, "stop")
	cmd.Env = append(cmd.Env, "XDG_RUNTIME_DIR="+own)
	ctltest.Finish(t, cmd).Expect(t, ctltest.Outcome{})
	if got := f.Asked(); got != "POST /v1/stop {}" {
		t.Errorf("asked %s", got)
	}
	ctltest.Run(t, "stop").Expect(t, ctltest.Outcome{
		Stderr: "hearthctl: hearthd does not run (nothing answers on /run/hearthd/control.sock); sudo " +
			"hearthctl doctor says why\n", Code: 1,
	})
}

func TestFleetIsATable(t *testing.T) {
	f := ctltest.NewFake(t)
	f.Answer("/v1/fleet", 200,
		`[{"node":"bedroom","house":"home","version":"0.1.0","online":false,"state":"idle","conditions":[]},`+
			`{"node":"kitchen","house":"home","version":"0.1.0","online":true,"state":"speaking",`+
			`"conditions":[{"code":"speaker","severity":"error","text":"It is gone."}],`+
			`"last_turn":{"time":"2026-11-20T18:30:00Z","route":"intent","intent":"time_now","outcome":"answered"}}]`)
	f.Run(t, "fleet").Expect(t, ctltest.Outcome{Stdout: "NODE     HOUSE  VERSION  STATE     LAST TURN                " +
		"       WRONG\n" +
		"bedroom  home   0.1.0    off       -                               -\n" +
		"kitchen  home   0.1.0    speaking  20 Nov 18:30 time_now answered  speaker\n" +
		"boxes: 2, off: 1, with something wrong: 1\n"})
	f.Answer("/v1/fleet", 200, "[]")
	f.Run(t, "fleet", "--json").Expect(t, ctltest.Outcome{Stdout: "[]\n"})
}

func TestWhatWantsAYesIsAskedOnTheTerminalAndTheYesNamesIt(t *testing.T) {
	f := ctltest.NewFake(t)
	ask := func(said string) ctltest.Outcome {
		f.Answer("/v1/ask", 200, `{"outcome":"answered","answer":"Open the gate?","question":"Open the gate?"}`)
		return atTerminal(t, ctltest.Command(t.Context(), t, "--socket", f.Path, "ask", "open", "the", "gate"), said)
	}
	ask("").Expect(t, ctltest.Outcome{
		Stderr: "Open the gate? [y/N] \nhearthctl: it was not done: nobody said yes\n", Code: 1,
	})
	if got, want := f.Asked(), `POST /v1/ask {"text":"open the gate"}`; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	ask("y\n") // and no second one: it is asked again
	want := `POST /v1/ask {"text":"open the gate"}, POST /v1/ask {"text":"yes","question":"Open the gate?"}`
	if got := f.Asked(); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	// The next line of a list of requests is none, and stays there.
	f.Answer("/v1/ask", 200, `{"outcome":"answered","answer":"Open the gate?","question":"Open the gate?"}`)
	cmd := ctltest.Command(t.Context(), t, "--socket", f.Path, "ask", "open", "the", "gate")
	cmd.Stdin = strings.NewReader("yes\n")
	ctltest.Finish(t, cmd).Expect(t, ctltest.Outcome{Code: 1, Stderr: "Open the gate? (there is no terminal to ask on; " +
		"--yes agrees)\nhearthctl: it was not done: nobody said yes\n"})
}

// atTerminal runs a command for a person who types said, and Ctrl-D where more is asked.
func atTerminal(t *testing.T, cmd *exec.Cmd, said string) ctltest.Outcome {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close()
	defer tty.Close()
	if _, err := keys.WriteString(said + "\x04"); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = tty
	return ctltest.Finish(t, cmd)
}
