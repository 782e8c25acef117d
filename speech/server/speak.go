package server

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"hearthd/llm/wyoming"
	"hearthd/speech/shelf"
)

const (
	// maxSaid bounds what is to be spoken in one go, in bytes.
	maxSaid = 8 << 10
	// maxSentence bounds what an engine is asked for at once, in bytes: some 15 s, which a slow box makes
	// within its time.
	maxSentence = 250
	// pieceSamples bounds an audio-chunk of speech.
	pieceSamples = 8 << 10
)

// speaking is one answer. Of a stream of text each sentence is spoken as soon as it is whole.
type speaking struct {
	voice   shelf.Voice
	speaker int
	release func()
	stream  bool
	waits   string // text that is no whole sentence yet
	began   bool   // audio-start was sent
}

func (p *speaking) close() { p.release() }

func (v *visit) speak(ctx context.Context, e wyoming.Event) error {
	var said wyoming.Speech
	if err := decode(e, &said); err != nil {
		return err
	}
	switch e.Type {
	case wyoming.SynthesizeStart:
		return v.begin(ctx, said.Voice, true)
	case wyoming.SynthesizeChunk:
		if v.spoken == nil || !v.spoken.stream {
			return refused("bad-request", "%s comes before %s", e.Type, wyoming.SynthesizeStart)
		}
		return v.sentences(ctx, said.Text, false)
	case wyoming.SynthesizeStop:
		if v.spoken == nil || !v.spoken.stream {
			return nil
		}
		if err := v.sentences(ctx, "", true); err != nil {
			return err
		}
		if err := v.stop(ctx); err != nil {
			return err
		}
		return v.send(ctx, wyoming.Event{Type: wyoming.SynthesizeStopped})
	}
	if v.spoken != nil && v.spoken.stream {
		return nil // the whole text, for servers that do not take it piece by piece
	}
	if err := v.begin(ctx, said.Voice, false); err != nil {
		return err
	}
	if err := v.sentences(ctx, said.Text, true); err != nil {
		return err
	}
	return v.stop(ctx)
}

// begin chooses the voice. What was being said is over.
func (v *visit) begin(ctx context.Context, who *wyoming.Voice, stream bool) error {
	if v.spoken != nil {
		v.spoken.close()
		v.spoken = nil
	}
	if who == nil {
		who = &wyoming.Voice{}
	}
	name := who.Name
	if name != "" && who.Speaker != "" {
		name += "/" + who.Speaker
	}
	err := v.s.call(ctx, func() error {
		voice, speaker, release, err := v.s.opt.Shelf.Voice(name, who.Language)
		if err == nil {
			v.spoken = &speaking{voice: voice, speaker: speaker, release: release, stream: stream}
		}
		return err
	})
	return engine(err)
}

// sentences speaks what is whole of the text so far, and with all the rest too.
func (v *visit) sentences(ctx context.Context, more string, all bool) error {
	p := v.spoken
	if p.waits += more; len(p.waits) > maxSaid {
		return refused("too-long", "the text is longer than %d bytes", maxSaid)
	}
	for {
		n := sentence(p.waits)
		if n == 0 {
			break
		}
		first := p.waits[:n]
		p.waits = p.waits[n:]
		if err := v.say(ctx, first); err != nil {
			return err
		}
	}
	if !all {
		return nil
	}
	rest := p.waits
	p.waits = ""
	return v.say(ctx, rest)
}

// sentence is the length of the first sentence that is whole, in bytes: behind its sign follows a space. One
// that is too long ends at a space.
func sentence(text string) int {
	space := 0
	for i, r := range text {
		if i > maxSentence {
			return cmp.Or(space, i)
		}
		if i == 0 || !unicode.IsSpace(r) {
			continue
		}
		space = i + 1
		before := strings.TrimRight(text[:i], `"')»”`)
		if r == '\n' || strings.HasSuffix(before, "!") || strings.HasSuffix(before, "?") ||
			strings.HasSuffix(before, ".") && !abbreviated(before) {
			return i + 1
		}
	}
	return 0
}

// abbreviated reports whether the point at the end may be that of "Dr." or "3.".
func abbreviated(text string) bool {
	word := text[strings.LastIndexAny(text, " \n")+1 : len(text)-1]
	return len(word) <= 2 || strings.Contains(word, ".")
}

// say has one sentence spoken.
func (v *visit) say(ctx context.Context, text string) error {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, " ")), " ")
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return nil
	}
	p := v.spoken
	var samples []int16
	err := v.s.call(ctx, func() (err error) {
		samples, err = p.voice.Speak(text, p.speaker)
		return err
	})
	if err != nil {
		return engine(err)
	}
	return v.audio(ctx, samples)
}

// audio sends speech.
func (v *visit) audio(ctx context.Context, samples []int16) error {
	format := wyoming.Format{Rate: v.spoken.voice.Rate(), Width: 2, Channels: 1}
	if !v.spoken.began {
		v.spoken.began = true
		if err := v.send(ctx, format.Event(wyoming.AudioStart, nil)); err != nil {
			return err
		}
	}
	for len(samples) > 0 {
		n := min(len(samples), pieceSamples)
		b := make([]byte, 0, 2*n)
		for _, s := range samples[:n] {
			b = append(b, byte(s), byte(s>>8))
		}
		if err := v.send(ctx, format.Event(wyoming.AudioChunk, b)); err != nil {
			return err
		}
		samples = samples[n:]
	}
	return nil
}

// stop says that the speech is complete, also when there was none.
func (v *visit) stop(ctx context.Context) error {
	p := v.spoken
	v.spoken = nil
	defer p.close()
	if !p.began {
		start := wyoming.Format{Rate: p.voice.Rate(), Width: 2, Channels: 1}.Event(wyoming.AudioStart, nil)
		if err := v.send(ctx, start); err != nil {
			return err
		}
	}
	return v.send(ctx, wyoming.Event{Type: wyoming.AudioStop})
}
