package speech

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/rigs/archivetest"
	"hearthd/speech/model"
)

// waiter installs a model that waits for phrases.
func (b *box) waiter(t *testing.T) {
	t.Helper()
	dir := filepath.Join(b.state, model.ModelsFolder, "waiter")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &model.Manifest{Kind: model.Keyword, Rate: 16000, Files: map[string]string{}}
	for _, what := range []string{"encoder", "decoder", "joiner", "tokens", "bpe_model"} {
		m.Files[what] = what
		if err := os.WriteFile(filepath.Join(dir, what), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Write(dir); err != nil {
		t.Fatal(err)
	}
}

// talk makes a folder of recordings: two minutes of silence, and speech.
func (b *box) talk(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("flite"); err != nil {
		t.Skip("there is no flite")
	}
	dir := filepath.Join(b.dir, "talk", "deeper")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "flite", "-voice", "slt", "-o", filepath.Join(dir, "b.wav"), "-t",
		"The neighbours painted their old fence yesterday. It took them all afternoon, and then it began to rain.").
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	size := uint32(2 * 16000 * 120)
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), 36+size)
	head = binary.LittleEndian.AppendUint32(append(head, "WAVEfmt "...), 16)
	for _, v := range []uint16{1, 1, 16000, 0, 32000, 0, 2, 16} {
		head = binary.LittleEndian.AppendUint16(head, v)
	}
	head = binary.LittleEndian.AppendUint32(append(head, "data"...), size)
	if err := os.WriteFile(filepath.Join(b.dir, "talk", "a.WAV"), append(head, make([]byte, size)...), 0o644); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(b.dir, "talk")
}

func TestPhraseIsTunedAgainstTalkBeforeItIsUsed(t *testing.T) {
	b := newBox(t)
	b.service(t)
	b.daemon.Answer("/v1/probe", 200, works)
	b.daemon.Answer("/v1/status", 200, `{}`)
	if got := b.run(t, "tune", "hey", "kitchen"); got.Code != 1 || !strings.Contains(got.Stderr, "no model that waits for phrases") {
		t.Errorf("without a model: %+v", got)
	}
	b.waiter(t)
	talk := b.talk(t)
	if got := b.run(t, "tune", "--from", talk, "Hey", "kitchen"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "there were 6s of talk, and 1h0m0s are needed") {
		t.Errorf("too little, for silence is no talk: %+v", got)
	}
	if got := b.read(t, "conf.d/90-set.yaml"); got != before {
		t.Errorf("configuration %q", got)
	}
	got := b.run(t, "tune", "--from", talk, "--talk", "3s", "Hey", "kitchen")
	if got.Code != 0 || !strings.Contains(got.Stdout, "With a cutoff of 0.45 “hey kitchen”") {
		t.Errorf("%+v", got)
	}
	word := "words: [{model: hey kitchen, server: unix:" + filepath.Join(b.dir, door) + ", cutoff: 0.45}]"
	if got := b.read(t, "conf.d/90-set.yaml"); !strings.Contains(got, "hey kitchen") || !strings.Contains(got, "0.45") {
		t.Errorf("configuration %q, want %q", got, word)
	}
	// The same phrase again takes the place of what was, and what hearthd refuses is taken back.
	b.daemon.Answer("/v1/status", 200, `{"conditions":[{"code":"wake_server","text":"A wake word server is of no use."}]}`)
	set := b.read(t, "conf.d/90-set.yaml")
	got = b.run(t, "tune", "--from", talk, "--talk", "2s", "computer")
	if got.Code != 1 || !strings.Contains(got.Stderr, "of no use") || b.read(t, "conf.d/90-set.yaml") != set {
		t.Errorf("%+v, configuration %q", got, b.read(t, "conf.d/90-set.yaml"))
	}
}

func TestHearthdTunesWithWhatItHears(t *testing.T) {
	b := newBox(t)
	b.waiter(t)
	b.daemon.Answer("/v1/wake/tune", 200, "data: {\"minutes\":30,\"cutoff\":0.3,\"alarms\":1}\n\n"+
		"data: {\"minutes\":60,\"cutoff\":0.35,\"alarms\":1,\"done\":true}\n\n")
	got := b.run(t, "tune", "--no-use", "hey", "kitchen")
	if got.Code != 0 || !strings.Contains(got.Stdout, "With a cutoff of 0.35 “hey kitchen” is heard nowhere in 60 minutes") ||
		!strings.Contains(got.Stderr, "30.0 of 60 minutes of talk, taken for it 1 times, cutoff 0.30") {
		t.Errorf("%+v", got)
	}
	if asked := b.daemon.Asked(); !strings.Contains(asked, `{"phrase":"hey kitchen","server":"unix:`) {
		t.Errorf("asked %s", asked)
	}
	for body, says := range map[string]string{"data: {\"error\":\"choose a longer one\"}\n\n": "choose a longer one",
		"": "hearthd has ended"} {
		b.daemon.Answer("/v1/wake/tune", 200, body)
		if got := b.run(t, "tune", "hey", "kitchen"); got.Code != 1 || !strings.Contains(got.Stderr, says) {
			t.Errorf("%q: %+v", body, got)
		}
	}
}

func TestModelThatNeitherHearsNorSpeaksIsInstalledWithItsNextStep(t *testing.T) {
	b := newBox(t, archivetest.Model{Name: "eye", Head: "kind: speaker, rate: 16000, networks_mb: 1",
		Files: map[string]string{"model": "m.onnx"}, Texts: map[string]string{"m.onnx": "network"}})
	got := b.run(t, "install", "eye")
	if got.Code != 0 || !strings.Contains(got.Stdout, "eye: the next steps are memory.voices") {
		t.Errorf("%+v", got)
	}
	if log := b.read(t, "systemctl.log"); b.read(t, "conf.d/90-set.yaml") != before || strings.Contains(log, "restart hearthd") {
		t.Errorf("hearthd was changed: %s", log)
	}
	if got := b.run(t, "list"); !strings.Contains(got.Stdout, "\nWho speaks\n+ eye") {
		t.Errorf("%+v", got)
	}
}
