package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/llm/tts"
	"hearthd/rigs/llmtest"
	"hearthd/rigs/speechtest"
	"hearthd/rigs/testcard"
)

// speechServer is a real hearth-speech at a socket of its own.
type speechServer struct {
	t     testing.TB
	state string
	path  string // of the socket
	cmd   *exec.Cmd
	ended chan struct{}
}

// newSpeechServer makes one that does not run yet, with a model that hears: the real one, where it is there.
func newSpeechServer(t testing.TB) (s *speechServer, hearer string) {
	t.Helper()
	state, hearer := speechtest.Folder(t, speechtest.Hearer), speechtest.Hearer
	if _, err := os.Stat(filepath.Join(state, "models", speechtest.Whisper)); err == nil {
		hearer = speechtest.Whisper
	}
	dir, err := os.MkdirTemp("", "hearth-speech-") // the path of a socket is short
	check(t, err)
	t.Cleanup(func() { check(t, os.RemoveAll(dir)) })
	s = &speechServer{t: t, state: state, path: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		s.kill()
		if log, err := os.ReadFile(s.path + ".log"); t.Failed() {
			t.Logf("log of hearth-speech: %v\n%s", err, log)
		}
	})
	return s, hearer
}

func (s *speechServer) address() string { return "unix:" + s.path }

// start returns when the server listens.
func (s *speechServer) start() {
	s.t.Helper()
	s.cmd = exec.Command(suite.speech, "--state", s.state, "--listen", s.address())
	log, err := os.OpenFile(s.path+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	check(s.t, err)
	defer log.Close()
	s.cmd.Stderr = log
	check(s.t, s.cmd.Start())
	ended := make(chan struct{})
	s.ended = ended
	cmd := s.cmd
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is for the journal of systemd
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("unix", s.path)
		if err == nil {
			check(s.t, c.Close())
			return
		}
		select {
		case <-ended:
			s.t.Fatalf("hearth-speech has ended: %v", cmd.ProcessState)
		case <-tick.C:
		}
	}
}

func (s *speechServer) signal(sig syscall.Signal) {
	s.t.Helper()
	check(s.t, s.cmd.Process.Signal(sig))
}

// kill ends the process at once, and returns when it is gone.
func (s *speechServer) kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // unless it has ended
	<-s.ended
	check(s.t, os.RemoveAll(s.path))
}

// unknown is a sentence that the built-in recogniser does not know.
const unknown = "The neighbours painted their old fence yesterday."

// TestHearthSpeechHearsAndWhateverBefallsItTheTurnIsAnswered has the whole of hearthd hear with a real
// hearth-speech, whose engine is then killed while the person speaks, stands still, and gets no more memory.
func TestHearthSpeechHearsAndWhateverBefallsItTheTurnIsAnswered(t *testing.T) {
	server, hearer := newSpeechServer(t)
	server.start()
	ollama := llmtest.NewOllama(t, model, func(llmtest.OllamaRequest) []llmtest.OllamaChunk { return llmtest.OllamaSay("So it is.") })
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
	env := append(ears(server.address()), "HEARTHD_STT_WYOMING_MODEL="+hearer, "HEARTHD_WAKE_FOLLOW_UP=0s")
	env = append(env, minds(strings.TrimPrefix(ollama.URL, "http://"))...)
	k := newKitchen(t, append(env, mouth(voice.Address)...)...)
	k.begin()

	// The built-in recogniser knows no such sentence, and only the server can have heard it. One that has failed
	// is left alone for a while: the person says it again.
	free := func() {
		t.Helper()
		var doc Turn
		for end := time.Now().Add(patience); doc.HeardBy != "wyoming" && time.Now().Before(end); {
			doc = k.pressed(unknown)
		}
		if doc.Outcome != "answered" || doc.HeardBy != "wyoming" ||
			hearer == speechtest.Whisper && !strings.Contains(strings.ToLower(doc.Transcript), "fence") {
			t.Errorf("free text: %+v", doc)
		}
		t.Logf("%q by %s, %+v", doc.Transcript, doc.HeardBy, doc.Stages)
		if s := k.status(); s.Has("recogniser") {
			t.Error("the condition stays")
		}
	}
	// order is answered, though nothing comes from the server.
	order := func(fault string, during func()) {
		t.Helper()
		k.press()
		done := make(chan struct{})
		go func() {
			defer close(done)
			k.say("What time is it?")
		}()
		k.event("onset", func(h happening) bool { return h.Type == "speech_started" })
		during()
		<-done
		doc := k.turn("voice")
		if doc.Outcome != "answered" || doc.Intent != "time_now" || doc.HeardBy != "pocketsphinx" {
			t.Errorf("%s: %+v", fault, doc)
		}
		t.Logf("%s: %q by %s, %+v", fault, doc.Transcript, doc.HeardBy, doc.Stages)
		k.await("an idle box", func(s Status) bool { return s.State == "idle" })
		if s := k.status(); !s.Has("recogniser") { // the built-in one was certain, and nobody waited for the server
			k.press()
			k.say(unknown)
		}
		k.await("the condition after "+fault, func(s Status) bool { return s.State == "idle" && s.Has("recogniser") })
	}
	free()

	order("a killed engine", func() { server.kill() })
	server.start()
	free()

	order("an engine that hangs", func() { server.signal(syscall.SIGSTOP) })
	server.signal(syscall.SIGCONT)
	free()

	server.kill()
	server.start()
	order("an engine without memory", func() {
		none := unix.Rlimit{Cur: 1, Max: 1} // of what a process has for itself: the model cannot be loaded
		check(t, unix.Prlimit(server.cmd.Process.Pid, unix.RLIMIT_DATA, &none, nil))
	})
	server.kill()
	server.start()
	free()

	if s := k.status(); s.Heard["wyoming"] < 4 || s.Heard["pocketsphinx"] < 3 {
		t.Errorf("status says that they heard %v", s.Heard)
	}
	if code, out, _ := k.ctl(t, "status"); code != 0 || !strings.Contains(out, "heard by: pocketsphinx ") {
		t.Errorf("hearthctl status: %d %s", code, out)
	}
}

// pressed opens a window by hand and says words: the turn that comes of it, or none.
func (k *kitchen) pressed(words string) (doc Turn) {
	k.t.Helper()
	k.press()
	k.say(words)
	k.event("what came of it", func(h happening) bool {
		doc = Turn{}
		return h.Type == "ignored" || h.Type == "turn" && json.Unmarshal(h.raw, &doc) == nil
	})
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	return doc
}

// press opens a window by hand.
func (k *kitchen) press() {
	k.t.Helper()
	k.post("/v1/listen", struct{}{})
	k.moves("listening")
}

// TestWordsOfHearthSpeechEndTheUtteranceAndSwitchALight has a scripted model hear an order that the built-in
// recogniser did not: at the first pause its words are a whole request.
func TestWordsOfHearthSpeechEndTheUtteranceAndSwitchALight(t *testing.T) {
	server, _ := newSpeechServer(t)
	server.start()
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
	env := append(ears(server.address()), "HEARTHD_STT_WYOMING_MODEL="+speechtest.Hearer)
	k := newKitchen(t, append(env, mouth(voice.Address)...)...)
	k.begin()
	z := newZigbee(t, k.guest())
	k.until("the light", func() bool { return k.ask("turn off the kitchen light").Outcome == "answered" })
	z.gets(`zigbee2mqtt/kitchen_light/set {"state":"OFF"}`)
	k.await("an idle box", func(s Status) bool { return s.State == "idle" })
	for range 2 { // the first time the model is loaded meanwhile
		var doc Turn
		for end := time.Now().Add(patience); doc.Transcript == "" && time.Now().Before(end); {
			doc = k.pressed(unknown)
		}
		if doc.Transcript != speechtest.Loud || doc.HeardBy != "wyoming" || doc.Outcome != "answered" {
			t.Errorf("%+v", doc)
		}
		t.Logf("%q by %s, %+v", doc.Transcript, doc.HeardBy, doc.Stages)
		z.gets(`zigbee2mqtt/kitchen_light/set {"state":"ON"}`)
	}
}

// sayAs says words with another voice than the room's.
func (k *kitchen) sayAs(voice, words string) {
	k.t.Helper()
	own := k.room.Voice
	defer func() { k.room.Voice = own }()
	var err error
	k.room.Voice, err = tts.NewCommand(tts.Flite(voice))
	check(k.t, err)
	k.say(words)
}

// TestWhoSpeaksIsKnownByTheirVoiceUntilTheyAreForgotten has two people leave their voices with three sentences each,
// and the box know them by a real hearth-speech with a scripted model.
func TestWhoSpeaksIsKnownByTheirVoiceUntilTheyAreForgotten(t *testing.T) {
	speechtest.Folder(t, speechtest.Prints)
	server, _ := newSpeechServer(t)
	server.start()
	voice := llmtest.NewWyoming(t, llmtest.WyomingScript{Rate: 22050, Speech: tone(0.3, 22050)}) // to be brief
	k := newKitchen(t, append(mouth(voice.Address), "HEARTHD_MEMORY_VOICES="+server.address(),
		`HEARTHD_MEMORY_PEOPLE=anna ben`, "HEARTHD_WAKE_FOLLOW_UP=0s")...)
	k.begin()

	people := map[string]string{"anna": "slt", "ben": "rms"}
	for person, sounds := range people {
		cmd := exec.CommandContext(t.Context(), suite.ctl, "--socket", k.Socket(), "voice", "enroll", person)
		out, err := cmd.StdoutPipe()
		check(t, err)
		check(t, cmd.Start())
		asked := bufio.NewReader(out)
		for range 3 {
			sentence, err := asked.ReadString(0x9d) // the last byte of ”, which ends what is to be said
			if err != nil {
				t.Fatalf("%q, %v", sentence, err)
			}
			_, after, _ := strings.Cut(sentence, "“")
			words, _, _ := strings.Cut(after, "”")
			k.sayAs(sounds, words)
		}
		rest, err := io.ReadAll(asked)
		check(t, err)
		if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), person+" is known by voice now") {
			t.Fatalf("%v: %s", err, rest)
		}
	}

	answer := func(sounds string) string {
		t.Helper()
		k.press()
		k.sayAs(sounds, "What is my name?")
		doc := k.turn("voice")
		k.await("an idle box", func(s Status) bool { return s.State == "idle" })
		t.Logf("%s: %q, %q, %+v", sounds, doc.Transcript, doc.Answer, doc.Stages)
		return doc.Answer
	}
	for person, sounds := range people {
		if got := answer(sounds); !strings.EqualFold(got, "You are called "+person+".") {
			t.Errorf("%s is told %q", person, got)
		}
	}

	const unknownVoice = "I do not know who you are."
	if code, out, stderr := k.ctl(t, "memory", "forget", "anna"); code != 0 {
		t.Errorf("forget: %s%s", out, stderr)
	}
	if got := answer(people["anna"]); got != unknownVoice {
		t.Errorf("who is forgotten is told %q", got)
	}
	if got := answer(people["ben"]); got != "You are called Ben." {
		t.Errorf("who is not forgotten is told %q", got)
	}
	server.kill()
	if got := answer(people["ben"]); got != unknownVoice {
		t.Errorf("with a dead engine ben is told %q", got)
	}
	if s := k.status(); !s.Has("voices") {
		t.Error("there is no condition")
	}
}

// tones are words of the scripted models, as the room sounds with them.
func tones(words ...string) (sound []int16) {
	for _, w := range words {
		for i := range testcard.Rate * 3 / 10 {
			sound = append(sound, int16(8000*math.Sin(2*math.Pi*speechtest.Tones()[w]*float64(i)/testcard.Rate)))
		}
	}
	return sound
}

// TestAPhraseIsTunedWithWhatTheBoxHears has hearthctl and hearthd find the cutoff of a phrase while somebody talks, who
// once says what is it to the very sound.
func TestAPhraseIsTunedWithWhatTheBoxHears(t *testing.T) {
	speechtest.Folder(t, speechtest.Spotter)
	server, _ := newSpeechServer(t)
	server.start()
	k := newKitchen(t, "HEARTHD_WAKE_ENGINE=button")
	k.begin()
	tune := func(talk string) (said chan string) {
		cmd := exec.CommandContext(t.Context(), suite.ctl, "--socket", k.Socket(), "speech", "tune", "--state", server.state,
			"--server", server.address(), "--no-use", "--talk", talk, "kitchen lights")
		out, err := cmd.StdoutPipe()
		check(t, err)
		cmd.Stderr = cmd.Stdout
		check(t, cmd.Start())
		r := bufio.NewReader(out)
		if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "Let people talk") {
			t.Errorf("%q, %v", line, err)
		}
		said = make(chan string, 1)
		go func() {
			rest, _ := io.ReadAll(r) // what is lacking shows below
			_ = cmd.Wait()
			said <- string(rest)
		}()
		return said
	}
	// result is what was said in the end, by who listens while somebody talks on.
	result := func(said chan string, talk func()) string {
		for end := time.Now().Add(patience); time.Now().Before(end); {
			talk()
			select {
			case s := <-said:
				return s
			default:
			}
		}
		t.Fatal("no end of it")
		return ""
	}
	if got := result(tune("5s"), func() { k.say(unknown) }); !strings.Contains(got, "With a cutoff of 0.25 “kitchen lights” is heard nowhere") {
		t.Errorf("talk: %q", got)
	}
	got := result(tune("1h"), func() { k.hears(k.synthesise("Well, "), tones("KITCHEN", "LIGHTS"), make([]int16, 2*testcard.Rate)) })
	if !strings.Contains(got, "choose a longer one") {
		t.Errorf("the phrase itself: %q", got)
	}
}

// TestAPhraseThatWasTypedOpensATurn has a real hearth-speech wait for a phrase that the configuration has in text: of
// a scripted model, whose words are tones.
func TestAPhraseThatWasTypedOpensATurn(t *testing.T) {
	speechtest.Folder(t, speechtest.Spotter)
	server, _ := newSpeechServer(t)
	server.start()
	k := newKitchen(t, "HEARTHD_WAKE_ENGINE=button", "HEARTHD_WAKE_FOLLOW_UP=0s",
		`HEARTHD_WAKE_WORDS=[{model: kitchen lights, server: "`+server.address()+`", cutoff: 0.6}]`)
	k.begin()
	say := tones
	command, pause := k.synthesise("what time is it?"), make([]int16, testcard.Rate)
	answered := func(when string) {
		t.Helper()
		k.hears(say("KITCHEN", "LIGHTS"), pause, command)
		doc := k.turn("voice")
		if doc.WokenBy != "kitchen lights" || doc.Intent != "time_now" || doc.Outcome != "answered" {
			t.Errorf("%s: %+v", when, doc)
		}
		t.Logf("%s: %q, %+v", when, doc.Transcript, doc.Stages)
		k.moves("idle")
	}
	answered("the phrase")
	k.hears(say("LIGHTS", "KITCHEN"), pause, command, pause)
	if s := k.status(); s.State != "idle" || s.Has("wake_server") {
		t.Errorf("words in another order: %+v", s)
	}
	answered("the phrase after that")

	server.kill()
	k.await("the condition", func(s Status) bool { return s.Has("wake_server") })
	server.start()
	k.await("the end of the condition", func(s Status) bool { return !s.Has("wake_server") })
	answered("after a crash")
}
