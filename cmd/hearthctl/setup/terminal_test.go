package setup

import (
	"hearthd/rigs/ctltest"

	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSetupIsWalkedOnATerminal(t *testing.T) {
	file, root := newBox(t)
	ollama := newOllama(t)
	f := ctltest.NewFake(t)
	f.Answer("/v1/status", 200, `{"state":"idle"}`)
	f.Hang("/v1/meter",
		"data: {\"at_s\":0.1,\"level_dbfs\":-26,\"quiet_dbfs\":-60,\"peak_dbfs\":-12,\"speech\":0.9}\n\n")
	p := sits(t, "--socket", f.Path, "setup", "--config", file, "--root", root, "--credentials",
		filepath.Join(root, "cred"),
		"--broker", "192.168.1.20", "--listen", "200ms", "--no-doctor")
	const reads = "\x00" // and types nothing
	for _, step := range []struct{ sees, types string }{
		{"Microphone [plughw:CARD=SPEAK510,DEV=0]: ", "5"}, {"5: the list has no number 5", reads},
		{"Microphone [plughw:CARD=SPEAK510,DEV=0]: ", "my microphone"},
		{"This box has no microphone called my microphone", reads}, {"Take it all the same? [y/N]: ", ""},
		{"Microphone [plughw:CARD=SPEAK510,DEV=0]: ", ""},
		{"2  plughw:CARD=SPEAK510,DEV=0  SPEAK510: USB Audio", reads}, // of the speakers
		{"Speaker [plughw:CARD=Headphones,DEV=0]: ", "2"},
		{"Name of the room [kitchen]: ", "Living room"},
		{"Town", "Gratz"}, {"knows no place called Gratz", reads}, {"all the same? [y/N]: ", ""},
		{"Town", "Graz"}, {"That is Graz, Styria, Austria.", reads}, {"Time zone, such as Europe/Vienna", "vienna"}, {"is not a known time zone", reads},
		{"Time zone", "Europe/Vienna"}, {"Language", "?"}, {"what is answered in", reads},
		{"Language", ""}, {"Units", "bananas"},
		{"Units", "b"}, {"Units", "a"}, {"Units", "n"}, {"Units", "s"}, {"Units", "!"},
		{"must be one of metric, imperial", reads},
		{"Units", "metric"},
		{"User at the broker", "hearth"}, {"Its password, which is not shown (empty: later): ", "hunter3"},
		{"qwen3:1.7b    2639 MB  fits", reads}, {"qwen3:4b      4007 MB  does not fit", reads},
		{"[none]: ", "geheim"}, {"geheim: must be an http:// or https:// address", reads}, {"[none]: ", ollama},
		{"1  llama3.2:1b", reads}, {"Model [qwen3:1.7b]: ", ""},
		{"not there yet. Fetch it now? [Y/n]: ", "y"}, {"25 % of 2 kB", reads},
		{"Speech to text", "10.0.0.5:10300"}, {"Text to speech", ""},
		{"Wake (a number", "1"}, {"Wake phrase [hey hearth]: ", "okay kitchen"},
		{"Use it, yes or no [no]: ", "yes"}, {"Budget of a day", "0.5"}, {"Budget of a month", "5"},
		{"Its key, which is not shown", "sk-hunter2"},
		{"Write this to", ""}, {"press Enter: ", ""},
		{"Say something", reads}, {"All is well", reads}, {"did you hear the speaker? [Y/n]: ", "y"},
	} {
		if p.sees(step.sees); step.types != reads {
			p.types(step.types)
		}
	}
	for s := range p.read {
		p.all.WriteString(s)
	}
	if strings.Contains(p.all.String(), "hunter") {
		t.Error("a secret was shown")
	}
	got, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(got), "\n")
	want, err := os.ReadFile("testdata/setup.yaml")
	text = strings.ReplaceAll(text, ollama, "http://OLLAMA")
	if *ctltest.Update {
		err = os.WriteFile("testdata/setup.yaml", []byte(text), 0o644)
		want = []byte(text)
	}
	if d := cmp.Diff(string(want), text); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	for name, want := range map[string]string{"hearthd.openai": "sk-hunter2\n", "hearthd.mqtt": "hunter3\n"} {
		path := filepath.Join(root, "cred", name)
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatalf("%v, %v", info, err)
		}
		if text, _ := os.ReadFile(path); string(text) != want || strings.Contains(string(got), "hunter") {
			t.Errorf("%s is kept as %q", name, text)
		}
	}
}

// Ctrl-C is heard at a question, and not behind the next Enter, which would go on.
func TestSetupEndsWithCtrlCAtAQuestion(t *testing.T) {
	file, root := newBox(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // which kills it
	defer cancel()
	cmd := ctltest.Command(ctx, t, "setup", "--config", file, "--root", root)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for shown, buf := "", make([]byte, 4096); !strings.Contains(shown, "]: "); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, shown)
		}
		shown += string(buf[:n])
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || ctx.Err() != nil || !strings.Contains(said.String(), "nothing was written") {
		t.Errorf("%v: %s", err, said.String())
	}
}

// A question is explained, a person may go back to one, and no answer is lost by a slip at the end.
func TestSetupExplainsGoesBackAndKeepsAnswers(t *testing.T) {
	file, root := newBox(t)
	p := sits(t, "--socket", filepath.Join(root, "none"), "setup", "--config", file, "--root", root, "--ollama", "none",
		"--broker", "off", "--speech", "no", "--cloud", "no", "--no-doctor", "--no-restart")
	for _, step := range []struct{ sees, types string }{
		{"? explains, < goes back", ""}, {"Speaker [", ""},
		{"Name of the room [kitchen]: ", "?"}, {"mqtt.area in hearthd.yaml(5)", "Parlour"},
		{"Town", "Graz"}, {"Time zone", "Europe/Vienna"}, {"Language", "<"}, {"Time zone", "<"}, // one question each
		{"Town, for the weather (empty: it is not known) [Graz]: ", "<"},
		{"Name of the room [Parlour]: ", "back"}, // the first of its step: to the last one of the step before
		{"Speaker [", "<"}, {"Microphone [", "<"}, {"Microphone [", ""}, {"Speaker [", ""},
		{"Name of the room [Parlour]: ", ""}, {"[Graz]: ", "Gratz"}, {"Take it all the same? [y/N]: ", "<"},
		{"[Graz]: ", "Linz"}, {"[Europe/Vienna]: ", ""}, {"Language", ""}, {"Units", "metric"},
		{"Speech to text", "<"}, // over two steps that ask nothing
		{"Units", ""}, {"Speech to text", ""}, {"Text to speech", ""}, {"Wake (a number", "1"}, {"Wake phrase", "<"},
		{"Wake (a number", ""}, {"Wake phrase", ""}, {"Write this to", "<"}, {"Wake phrase", ""},
		{"Write this to", "n"}, {"with these answers? [Y/n]: ", ""},
		{"Microphone [", ""}, {"Speaker [", ""}, {"[Parlour]: ", ""}, {"[Linz]: ", "Wien"}, {"Time zone", ""},
		{"Language", ""}, {"Units", ""}, {"Speech to text", ""}, {"Text to speech", ""}, {"Wake (a number", "1"},
		{"Wake phrase", ""}, {"place: Wien", ""},
	} {
		p.sees(step.sees)
		p.types(step.types)
	}
	for s := range p.read {
		p.all.WriteString(s)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
	if err != nil || !strings.Contains(string(text), "area: Parlour") || !strings.Contains(string(text), "place: Wien") {
		t.Errorf("%v\n%s", err, text)
	}
}

// What a machine that stays without sound needs is offered where it is asked for.
func TestAMachineMayStayWithoutSound(t *testing.T) {
	file, root := newBox(t)
	if err := os.RemoveAll(filepath.Join(root, "proc/asound")); err != nil {
		t.Fatal(err)
	}
	p := sits(t, "--socket", filepath.Join(root, "none"), "setup", "--config", file, "--root", root, "--credentials",
		filepath.Join(root, "cred"), "--no-doctor", "--no-restart", "--room", "hall", "--place", "Graz", "--timezone",
		"Europe/Vienna", "--language", "en", "--units", "metric", "--broker", "off", "--ollama", "none", "--recogniser",
		"pocketsphinx", "--voice", "flite", "--cloud", "no")
	for _, step := range []struct{ sees, types string }{
		{"stays without, choose null as speaker, and off as wake", "\x00"}, {"Microphone [default]: ", ""},
		{"2  null  none: this machine makes no sound", "\x00"}, {"Speaker [default]: ", "2"},
		{"Install it when this is done, yes or no [no]: ", ""},
		{"Wake (a number, or the URL or file of a microWakeWord model) [off]: ", ""}, {"Write this to", ""},
		{"Written.", "\x00"}, {"sudo adduser \"$USER\" hearthd", "\x00"}, {"hearthctl ask", "\x00"},
	} {
		if p.sees(step.sees); step.types != "\x00" {
			p.types(step.types)
		}
	}
	got, err := os.ReadFile(filepath.Join(filepath.Dir(file), "conf.d", "50-setup.yaml"))
	if err != nil || !strings.Contains(string(got), `playback: "null"`) || !strings.Contains(string(got), "engine: off") {
		t.Errorf("%v\n%s", err, got)
	}
	again := func(more ...string) string {
		return ctltest.Run(t, append([]string{"--socket", filepath.Join(root, "none"), "setup", "--config", file, "--root",
			root, "--no-doctor", "--no-restart", "--yes"}, more...)...).Stdout
	}
	if got := again(); strings.Contains(got, "sound card") || !strings.Contains(got, "Written.") {
		t.Errorf("it is said again:\n%s", got)
	}
	if got := again("--speaker", "plughw:CARD=Nix"); !strings.Contains(got, "no speaker called plughw:CARD=Nix") ||
		!strings.Contains(got, "taken all the same") {
		t.Errorf("%s", got)
	}
}
