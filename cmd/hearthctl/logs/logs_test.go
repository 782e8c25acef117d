package logs

import (
	"hearthd/rigs/ctltest"

	"bufio"
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/journaltest"
	"hearthd/systemd"
)

// journalFile is a real journal file with what write logs.
func journalFile(t *testing.T, lines int, write func(*slog.Logger)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "hearthctl-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	j, err := journaltest.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := systemd.NewJournalHandler(j.Socket(), "hearthd", slog.LevelDebug)
	if err != nil {
		t.Fatal(err)
	}
	write(slog.New(h))
	for end := time.Now().Add(time.Minute); strings.Count(j.Text(), "PRIORITY=") < lines; {
		if time.Now().After(end) {
			t.Fatalf("the journal has %s", j.Text())
		}
		<-time.After(time.Millisecond)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := j.File(t.Context())
	if errors.Is(err, journaltest.ErrNoTool) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// twoTurns is what hearthd logs of a start and two turns, the first of which is slow.
func twoTurns(log *slog.Logger) {
	log.Info("ready", "component", "daemon", "message_id", systemd.MessageReady, "took_ms", 300)
	log.Warn("tool call failed", "component", "tools", "tool", "lamp", "error", "line\nbreak", "session", 1, "turn", 7)
	log.Info("turn ended", "turn", 7, "outcome", "answered", "heard", "turn on the lamp", "route", "local", "thinker",
		"home",
		"tool", "lamp failed", "tool", "lamp ok", "answer", "Done.", "endpoint_ms", 400, "stt_ms", 900, "route_ms",
		3000,
		"first_sound_ms", 4500, "took_ms", 6000, "source", "voice", "session", 1, "component", "dialogue", "message_id",
		systemd.MessageTurn)
	log.Debug("stage ended", "component", "dialogue", "session", 1, "turn", 8, "stage", "stt", "took_ms", 90)
	log.Info("turn ended", "turn", 8, "outcome", "failed", "reason", "no_thinker", "route", "local",
		"first_sound_ms", 0, "took_ms", 40, "source", "text", "session", 1, "component", "dialogue", "message_id",
		systemd.MessageTurn)
	log.Error("condition began", "component", "microphone", "condition", "It is gone.", "message_id",
		systemd.MessageMicrophone)
}

var clock = regexp.MustCompile(`(?m)^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d `)

// told is what is printed, with the times taken out.
func told(t *testing.T, o ctltest.Outcome) string {
	t.Helper()
	if o.Code != 0 || o.Stderr != "" {
		t.Errorf("%+v", o)
	}
	return clock.ReplaceAllString(o.Stdout, "TIME ")
}

const (
	failedLine = "TIME warn  tools      tool call failed tool=lamp error=\"line\\nbreak\" turn=7\n"
	slowLine   = "TIME       dialogue   turn 7 answered “turn on the lamp” (local home; tool lamp failed; tool lamp " +
		"ok), said “Done.”, " +
		"first sound after 4500 ms: endpoint 400, stt 900, route 3000; done after 6000 ms\n"
	stageLine = "TIME debug dialogue   stage ended turn=8 stage=stt took_ms=90\n"
	lastLine  = "TIME       dialogue   turn 8 failed, no_thinker (local); done after 40 ms\n"
)

func TestLogsReadARealJournal(t *testing.T) {
	file := journalFile(t, 6, twoTurns)
	for _, c := range []struct{ args, want string }{
		{"", "TIME       daemon     ready took_ms=300\n" + failedLine + slowLine + stageLine + lastLine +
			"TIME ERROR microphone condition began condition=\"It is gone.\"\n"},
		{"-n 1", "TIME ERROR microphone condition began condition=\"It is gone.\"\n"},
		{"--turn 7", failedLine + slowLine},
		{"--last", stageLine + lastLine},
		{"--slow", slowLine + lastLine},
	} {
		o := ctltest.Run(t, append([]string{"logs", "--file", file}, strings.Fields(c.args)...)...)
		if got := told(t, o); got != c.want {
			t.Errorf("logs %s printed\n%swant\n%s", c.args, got, c.want)
		}
	}
	if o := ctltest.Run(t, "logs", "--file", file, "--turn", "7", "--json"); o.Code != 0 ||
		strings.Count(o.Stdout, "\n") != 2 ||
		!strings.Contains(o.Stdout, `"HEARTHD_TOOL":["lamp failed","lamp ok"]`) &&
			!strings.Contains(o.Stdout, `"HEARTHD_TOOL" : [ "lamp failed"`) {
		t.Errorf("%+v", o)
	}
	if o := ctltest.Run(t, "logs", "--file", file, "--turn", "9"); o.Code != 1 ||
		!strings.Contains(o.Stderr, "shows no such lines") {
		t.Errorf("%+v", o)
	}
	if o := ctltest.Run(t, "logs", "--last", "--slow"); o.Code != 1 {
		t.Errorf("%+v", o)
	}
}

// systemd tells at each start of every credential of the unit that is not there, which is no trouble and buries
// what is.
func TestLogsLeaveOutCredentialsThatNobodyHas(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\ncat <<'E'\n" +
		`{"SYSLOG_IDENTIFIER":"(hearthd)","MESSAGE":"Couldn't read inherited credential 'hearthd.ncbi', skipping."}` + "\n" +
		`{"SYSLOG_IDENTIFIER":"hearthd","MESSAGE":"ready"}` + "\nE\n"
	if err := os.WriteFile(filepath.Join(dir, "journalctl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := ctltest.Command(t.Context(), t, "logs")
	cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"))
	if o := ctltest.Finish(t, cmd); o.Code != 0 || !strings.Contains(o.Stdout, "ready") ||
		strings.Contains(o.Stdout, "credential") {
		t.Errorf("%+v", o)
	}
}

func TestLogsBeginAtATime(t *testing.T) {
	file := journalFile(t, 6, twoTurns)
	if o := ctltest.Run(t, "logs", "--file", file, "--since", "2001-01-01 12:00"); o.Code != 0 ||
		strings.Count(o.Stdout, "\n") != 6 {
		t.Errorf("%+v", o)
	}
	if o := ctltest.Run(t, "logs", "--file", file, "--since", "2199-01-01"); o.Code != 1 ||
		!strings.Contains(o.Stderr, "shows no such lines") {
		t.Errorf("%+v", o)
	}
	if o := ctltest.Run(t, "logs", "--file", file, "--since", "one day"); o.Code != 1 ||
		!strings.Contains(o.Stderr, "one day") {
		t.Errorf("%+v", o)
	}
}

func TestLogsThatAreFollowedEndWithAnInterrupt(t *testing.T) {
	cmd := ctltest.Command(t.Context(), t, "logs", "--follow", "-n", "1", "--file", journalFile(t, 6, twoTurns))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(line, "condition began") {
		t.Errorf("%q, %v", line, err)
	}
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

func TestLogsSayThatThereIsNoJournal(t *testing.T) {
	cmd := ctltest.Command(t.Context(), t, "logs")
	cmd.Env = append(cmd.Env, "PATH="+t.TempDir())
	if o := ctltest.Finish(t, cmd); o.Code != 1 || !strings.Contains(o.Stderr, "there is no journalctl") {
		t.Errorf("%+v", o)
	}
}

func FuzzLogEntry(f *testing.F) {
	f.Add([]byte(`{"MESSAGE":"ready","__REALTIME_TIMESTAMP":"1","PRIORITY":"6","HEARTHD_TURN":"7","MESSAGE_ID":"` +
		messageTurn + `","HEARTHD_TOOL":["a","b"]}`))
	f.Add([]byte(
		`{"MESSAGE":[104,105,10],"HEARTHD_TOOK_MS":null,"HEARTHD_TOOL":[[104,105],"x"],"__REALTIME_TIMESTAMP":"-9223372036854775808"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := parseLogEntry(line)
		if err != nil {
			return
		}
		if text := []byte(e.line()); bytes.ContainsAny(text, "\n\r\x1b\x00") {
			t.Errorf("%q moves the cursor", text)
		}
		e.waited()
	})
}
