package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/daemon/doctor"
	"hearthd/daemon/engines"
	"hearthd/daemon/sentences"
	"hearthd/llm/stt"
	"hearthd/llm/tts"
	"hearthd/tools/intent"
)

const (
	// spokenProbe is what the voice says to the recogniser, after the wake phrase: a sentence of
	// the intents, which the built-in recogniser can understand.
	spokenProbe = "what time is it"
	// slowVoice is how late a voice may begin: half of slowAnswer, which is for a whole answer.
	slowVoice = slowAnswer / 2
	// dialProbe is for a server that listens for wake words.
	dialProbe = 3 * time.Second
)

// speech makes the voice say a sentence, and the recogniser listen to it.
func (p *prober) speech(ctx context.Context) []doctor.Finding {
	voice, samples := p.voice(ctx)
	return []doctor.Finding{voice, p.recognition(ctx, samples)}
}

// voice measures the voice, and returns what it said as the microphone would hear it.
func (p *prober) voice(ctx context.Context) (doctor.Finding, []int16) {
	engine := p.Config.TTS.Engine
	if p.Config.TTS.Engine == "openai" && p.hidden(p.Config.TTS.OpenAI.Key) {
		return needsRoot(doctor.Voice, "tts.openai.key"), nil
	}
	e, _, err := p.engines.Synthesiser()
	if err != nil {
		return doctor.New(doctor.Voice, doctor.Fail, "%s cannot be set up: %v", engine, err).
			Mend("the section tts of /etc/hearthd/hearthd.yaml"), nil
	}
	phrase := spokenProbe
	if p.Config.Wake.Engine == "phrase" {
		phrase = p.Config.Wake.Phrase + " " + phrase
	}
	first, samples, err := say(ctx, e, phrase)
	if err != nil {
		return doctor.New(doctor.Voice, doctor.Fail, "%s does not speak: %v", engine, err).
			Mend("%s", engineFix("tts", engine, p.Config.TTS.Wyoming.Address, p.Config.TTS.Command.Argv, engine)), nil
	}
	f := doctor.New(doctor.Voice, doctor.OK, "%s, first sound after %.0f ms", engine, milliseconds(first)).
		With("first_sound_ms", milliseconds(first))
	if l := p.Config.Tools.Intents.Language; engine == "flite" && l != "en" {
		f.Verdict, f.Text = doctor.Warn, fmt.Sprintf("%s, but its voices are English, and the language is %q", f.Text, l)
		f = f.Mend("sudo hearthctl speech install")
	}
	if first > slowVoice {
		f.Verdict, f.Late = doctor.Warn, true
		if engine == "flite" {
			f = f.Mend("the box is busy, or too slow: uptime; top")
		} else {
			f = f.Mend("tts: {engine: flite} in /etc/hearthd/conf.d/tts.yaml is the quickest")
		}
	}
	return f, samples
}

// say collects what e speaks, at the rate of frames, and when it began.
func say(ctx context.Context, e tts.Engine, text string) (first time.Duration, samples []int16, err error) {
	begun := time.Now()
	var conv *audio.Resampler
	for c, err := range e.Speak(ctx, text) {
		if err != nil {
			return 0, nil, err
		}
		if conv == nil {
			first = time.Since(begun)
			if conv, err = audio.NewResampler(c.Rate, audio.Rate); err != nil {
				return 0, nil, err
			}
		}
		samples = conv.Process(samples, c.Samples)
	}
	if conv == nil {
		return 0, nil, errors.New("no sound came")
	}
	return first, conv.Flush(samples), nil
}

// engineFix says where to get an engine: the one of section ("tts", "stt"), at a Wyoming server, by
// a command, or from Debian packages.
func engineFix(section, engine, server string, argv []string, packages string) string {
	switch engine {
	case "wyoming":
		return fmt.Sprintf("start the server at %s, or change %s.wyoming.address; nc -vz %s", server, section,
			strings.Replace(server, ":", " ", 1))
	case "openai":
		return fmt.Sprintf("%s.openai.url and %s.openai.key in /etc/hearthd/hearthd.yaml", section, section)
	case "command":
		return "try it: " + strings.Join(argv, " ")
	}
	return "apt-get install " + packages
}

// recognition gives samples, or silence where there are none, to the recogniser.
func (p *prober) recognition(ctx context.Context, samples []int16) doctor.Finding {
	engine := p.Config.STT.Engine
	if engine == "openai" && p.hidden(p.Config.STT.OpenAI.Key) {
		return needsRoot(doctor.Recogniser, "stt.openai.key")
	}
	err := sentences.Unhearable(p.Config)
	switch {
	case engine != "pocketsphinx" || err == nil:
	case p.Config.Wake.Engine == "off": // nobody is listened to, but a browser that talks
		return doctor.New(doctor.Recogniser, doctor.Skip, "wake.engine is off, and %v", err)
	default:
		return doctor.New(doctor.Recogniser, doctor.Fail, "%v", err).Mend("sudo hearthctl speech install")
	}
	spoken := len(samples) > 0
	if !spoken {
		samples = make([]int16, audio.Rate)
	}
	text, took, err := p.transcribe(ctx, samples)
	switch {
	case err != nil:
		return doctor.New(doctor.Recogniser, doctor.Fail, "%s does not work: %v", engine, err).
			Mend("%s", engineFix("stt", engine, p.Config.STT.Wyoming.Address, p.Config.STT.Command.Argv,
				"pocketsphinx pocketsphinx-en-us; systemctl restart hearthd"))
	case !spoken:
		return doctor.New(doctor.Recogniser, doctor.OK,
			"%s answers after %.0f ms; without a voice nothing was said to it",
			engine, milliseconds(took)).
			With("transcript_ms", milliseconds(took))
	}
	f := doctor.New(doctor.Recogniser, doctor.OK, "%s understands the voice, %.0f ms after its last word", engine,
		milliseconds(took)).
		With("transcript_ms", milliseconds(took))
	switch {
	case !strings.Contains(strings.ToLower(text), spokenProbe):
		f.Verdict = doctor.Warn
		f.Text = fmt.Sprintf("%s works, but took “%s” of the voice for “%s”, after %.0f ms", engine, spokenProbe, text,
			milliseconds(took))
		f = f.Mend("stt.language, stt.wyoming.model or another stt.engine in /etc/hearthd/hearthd.yaml")
	case took > slowAnswer:
		f.Verdict, f.Late = doctor.Warn, true
		f = f.Mend("a recogniser on a faster machine: stt: {engine: wyoming, wyoming: {address: \"HOST:10300\"}}")
	}
	return f
}

// transcribe gives samples to a recogniser of our own, and measures the time from the
// last of them to the words.
func (p *prober) transcribe(ctx context.Context, samples []int16) (text string, took time.Duration, err error) {
	engine, err := p.listening()
	if err != nil {
		return "", 0, err
	}
	stream, err := engine.Open(ctx)
	if err != nil {
		return "", 0, err
	}
	defer stream.Close()
	// As fast as a person speaks: programs load their model meanwhile.
	pace := time.NewTicker(audio.FrameDuration)
	defer pace.Stop()
	for at := 0; at < len(samples); at += audio.FrameSamples {
		select {
		case <-ctx.Done():
			return "", 0, ctx.Err()
		case <-pace.C:
		}
		var f audio.Frame
		copy(f[:], samples[at:])
		if err := stream.Write(&f); err != nil {
			return "", 0, err
		}
	}
	begun := time.Now()
	t, err := stream.Finish(ctx)
	return t.Text, time.Since(begun), err
}

// listening makes the recogniser that the configuration names.
func (p *prober) listening() (stt.Engine, error) {
	if p.Config.STT.Engine != "pocketsphinx" {
		return p.engines.Recogniser(nil, nil, nil, nil)
	}
	m, err := p.understood()
	if err != nil {
		// The built-in sentences are understood all the same.
		if m, err = intent.New(intent.Options{Language: p.Config.Tools.Intents.Language,
			Wake: p.Config.Wake.Phrase}); err != nil {
			return nil, err
		}
	}
	l := sentences.NewLearner(m, filepath.Join(p.RuntimeDir, "pocketsphinx"), p.Log)
	_, err = l.Learn(context.Background())
	return l, err
}

// understood is the matcher, with the sentences of the household.
func (p *prober) understood() (*intent.Matcher, error) {
	return intent.New(sentences.Of(p.Config, nil))
}

// wake opens the models of the wake words, and checks whether their servers answer.
func (p *prober) wake(ctx context.Context) doctor.Finding {
	c := &p.Config.Wake
	if c.Engine == "off" {
		return doctor.New(doctor.Wake, doctor.Skip, "wake.engine is off, so nothing is listened for")
	}
	if mistakes := engines.CheckEars(p.Config, p.StateDir); len(mistakes) > 0 {
		return doctor.New(doctor.Wake, doctor.Fail, "%v", errors.Join(mistakes...)).With("mistakes",
			float64(len(mistakes))).
			Mend("hearthctl wake list; hearthctl wake install FILE.json; systemctl restart hearthd")
	}
	var names []string
	if c.Engine == "phrase" {
		names = append(names, "the phrase “"+c.Phrase+"”")
	}
	for _, w := range c.Words {
		names = append(names, "“"+w.Called()+"”")
		if w.Server == "" {
			continue
		}
		if err := reachable(ctx, w.Server); err != nil {
			return doctor.New(doctor.Wake, doctor.Fail, "the server of “%s” at %s does not answer: %v", w.Called(),
				w.Server,
				err).
				Mend("start it, or change server in wake.words")
		}
	}
	if len(names) == 0 {
		return doctor.New(doctor.Wake, doctor.OK, "only the button: hearthctl listen, or MQTT")
	}
	return doctor.New(doctor.Wake, doctor.OK, "%s", strings.Join(names, ", ")).With("words", float64(len(names)))
}

// reachable says why nobody accepts a connection at address, HOST:PORT or unix:PATH.
func reachable(ctx context.Context, address string) error {
	network := "tcp"
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	ctx, cancel := context.WithTimeout(ctx, dialProbe)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			err = op.Err
		}
		return err
	}
	return c.Close()
}
