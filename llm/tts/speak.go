package tts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"

	"hearthd/audio"
)

const (
	// maxText bounds a sentence, in bytes. It is the limit of OpenAI's endpoint; spoken it lasts
	// about four minutes, so maxSpeech is reached first.
	maxText = 4096
	// maxSpeech bounds the speech that is taken for one sentence.
	maxSpeech = 60 * time.Second
	// maxRate bounds a rate that comes from a server, in samples per second; the
	// least is audio.MinRate.
	maxRate = 48000

	// blockBytes is read at a time: 85 ms at 24 kHz, so that the voice can begin.
	blockBytes = 4096

	// dialLimit is how long a server may take to accept.
	dialLimit = 2 * time.Second
	// silenceLimit is how long a server may keep silent. The first sentence
	// after its start includes the loading of a voice.
	silenceLimit = 20 * time.Second
)

var errSilent = errors.New("no speech in time")

// source is the speech of one sentence as an engine makes it.
type source interface {
	// read waits for the next samples, of which there may be none. The error is
	// io.EOF at the end.
	read(ctx context.Context) (audio.Chunk, error)
	// close stops the engine. It fails if the speech that was read to its end is not to be trusted.
	close() error
}

// opener starts an engine on a sentence that plain has accepted.
type opener func(ctx context.Context, text string) (source, error)

// speak is Engine.Speak for an opener. timeout bounds each wait for the engine;
// the time that the caller takes for a chunk does not count.
func speak(ctx context.Context, text string, timeout time.Duration, open opener) iter.Seq2[audio.Chunk, error] {
	return func(yield func(audio.Chunk, error) bool) {
		text, err := plain(text)
		if err == nil && text == "" {
			return
		}
		if err == nil {
			err = relay(ctx, text, timeout, open, yield)
		}
		if err != nil {
			yield(audio.Chunk{}, err)
		}
	}
}

// relay yields chunks until the speech ends or the caller stops.
func relay(ctx context.Context, text string, timeout time.Duration, open opener,
	yield func(audio.Chunk, error) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := time.AfterFunc(timeout, func() { cancel(errSilent) })
	defer patience.Stop()
	s, err := open(ctx, text)
	if err != nil {
		return cause(ctx, err)
	}
	rate, spoken := 0, 0
	for {
		c, err := s.read(ctx)
		if err == nil {
			err = ctx.Err() // what came before the end of ctx is not wanted after it
		}
		if err == nil && len(c.Samples) > 0 {
			err = within(c, &rate, &spoken)
		}
		switch {
		case err == io.EOF:
			return s.close()
		case err != nil:
			if closed := s.close(); closed != nil {
				err = closed // a program that failed says more than its output
			}
			return cause(ctx, err)
		case len(c.Samples) == 0:
			continue
		}
		patience.Stop()
		if !yield(c, nil) {
			return s.close()
		}
		patience.Reset(timeout)
	}
}

// cause is err, or why ctx ended where that is what broke the engine.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("speak: %w", context.Cause(ctx))
	}
	return err
}

// within checks c against the chunks before it: the same rate, and not too many samples.
func within(c audio.Chunk, rate, spoken *int) error {
	if *rate == 0 {
		*rate = c.Rate
	}
	*spoken += len(c.Samples)
	switch {
	case c.Rate != *rate:
		return fmt.Errorf("speech changes from %d to %d Hz", *rate, c.Rate)
	case c.Rate < audio.MinRate || c.Rate > maxRate:
		return fmt.Errorf("speech of %d Hz: want %d to %d", c.Rate, audio.MinRate, maxRate)
	case *spoken > c.Rate*int(maxSpeech/time.Second):
		return fmt.Errorf("speech is longer than %v", maxSpeech)
	}
	return nil
}

// plain is text on one line without control characters, or an error if it is
// too long. Punctuation alone has no sound and becomes empty.
func plain(text string) (string, error) {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxText {
		return "", fmt.Errorf("sentence of %d bytes, limit %d", len(text), maxText)
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPunct(r) && r != ' ' }) {
		return "", nil
	}
	return text, nil
}

// wavSource reads a WAV stream as it comes. Programs and servers that do not
// know the length yet write a bogus one.
type wavSource struct {
	r     io.Reader
	stop  func() error
	wav   *audio.WAVReader
	block [blockBytes / 2]int16
}

func (s *wavSource) read(context.Context) (audio.Chunk, error) {
	if s.wav == nil {
		wav, err := audio.NewWAVReader(s.r, audio.WAVOptions{Streaming: true, MaxDuration: maxSpeech})
		if err != nil {
			return audio.Chunk{}, err
		}
		s.wav = wav
	}
	n, err := s.wav.Read(s.block[:])
	return audio.Chunk{Rate: s.wav.Rate(), Samples: append([]int16(nil), s.block[:n]...)}, err
}

func (s *wavSource) close() error { return s.stop() }

// pcm turns bytes into samples, however they are cut.
type pcm struct {
	odd  byte
	half bool
}

// samples returns those that b completes; they belong to the caller.
func (p *pcm) samples(b []byte) []int16 {
	out := make([]int16, 0, len(b)/2+1)
	for _, v := range b {
		if p.half {
			out = append(out, int16(p.odd)|int16(v)<<8)
		} else {
			p.odd = v
		}
		p.half = !p.half
	}
	return out
}

// end is io.EOF, unless the stream ended inside a sample.
func (p *pcm) end() error {
	if p.half {
		return fmt.Errorf("speech ends inside a sample: %w", io.ErrUnexpectedEOF)
	}
	return io.EOF
}
