// Package trial tries models of speech on this box over the protocol by which hearthd uses them:
// how long they take, how much memory, and whether what one says the other one hears. A trial is
// of a server that runs, or of one that it starts for itself.
//
// It runs one goroutine in Hear, which has ended when that returns.
package trial

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"hearthd/audio"
	"hearthd/llm/tts"
	"hearthd/llm/wyoming"
)

const (
	dialLimit = 10 * time.Second
	// loadLimit is for a model of hundreds of megabytes to come from a memory card, and to answer.
	loadLimit = 2 * time.Minute
)

// Sentence is what is said in a language: words that are written in one way only.
func Sentence(language string) string {
	if strings.HasPrefix(language, "de") {
		return "Bitte schalte das Licht in der Küche ein und sage mir, wie das Wetter morgen wird."
	}
	return "Please turn on the light in the kitchen, and tell me what the weather will be like tomorrow."
}

// Heard is what a recogniser made of speech.
type Heard struct {
	Text   string
	First  time.Duration // from the beginning of the speech to the first word; 0: none came before the end
	Answer time.Duration // from the end of the speech to the whole text
	Took   time.Duration // all in all
	Length time.Duration // of the speech
}

// Hear has a model recognise samples at audio.Rate. They are sent as fast as they are taken, or,
// paced, as a microphone gives them. An empty model is the server's choice.
func Hear(ctx context.Context, address, model, language string, samples []int16, paced bool) (Heard, error) {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	h := Heard{Length: time.Duration(len(samples)) * time.Second / audio.Rate}
	conn, err := wyoming.Dial(ctx, address, dialLimit)
	if err != nil {
		return h, err
	}
	defer conn.Close()
	request, err := wyoming.NewEvent("transcribe", map[string]string{"name": model, "language": language})
	if err != nil {
		return h, err
	}
	begun := time.Now()
	ended := make(chan sent, 1)
	go func() { ended <- send(ctx, conn, request, samples, paced) }()
	err = h.receive(ctx, conn, begun)
	if err != nil {
		cancel() // the sender too
	}
	s := <-ended
	if err != nil {
		return h, err
	}
	h.Took = time.Since(begun)
	if s.err == nil {
		h.Answer = time.Since(s.at)
	}
	return h, s.err
}

// sent is when all of the speech was sent.
type sent struct {
	at  time.Time
	err error
}

// send sends an utterance, in pieces of a tenth of a second.
func send(ctx context.Context, conn *wyoming.Conn, request wyoming.Event, samples []int16, paced bool) sent {
	format := wyoming.FrameFormat()
	if err := conn.Send(ctx, request, format.Event(wyoming.AudioStart, nil)); err != nil {
		return sent{err: err}
	}
	const piece = audio.Rate / 10
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	for len(samples) > 0 {
		n := min(piece, len(samples))
		pcm := make([]byte, 0, 2*n)
		for _, v := range samples[:n] {
			pcm = append(pcm, byte(v), byte(v>>8))
		}
		samples = samples[n:]
		if paced {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return sent{err: context.Cause(ctx)}
			}
		}
		if err := conn.Send(ctx, format.Event(wyoming.AudioChunk, pcm)); err != nil {
			return sent{err: err}
		}
	}
	return sent{time.Now(), conn.Send(ctx, wyoming.Event{Type: wyoming.AudioStop})}
}

// receive reads up to the transcript.
func (h *Heard) receive(ctx context.Context, conn *wyoming.Conn, begun time.Time) error {
	for {
		e, err := conn.Receive(ctx)
		if err != nil {
			return err
		}
		var words struct {
			Text string `json:"text"`
		}
		switch e.Type {
		case "error":
			return e.Err("")
		case "transcript-chunk", "transcript":
			if err := e.Decode(&words); err != nil {
				return err
			}
		}
		if e.Type == "transcript" {
			h.Text = words.Text
			return nil
		}
		if h.First == 0 && strings.TrimSpace(words.Text) != "" {
			h.First = time.Since(begun)
		}
	}
}

// Spoken is what a voice made of a text.
type Spoken struct {
	Samples []int16       // at audio.Rate
	First   time.Duration // to the first sound
	Took    time.Duration // all in all
	Length  time.Duration // of the speech
}

// Speak has a voice of the server speak. An empty one is the server's choice.
func Speak(ctx context.Context, address, voice, text string) (Spoken, error) {
	e, err := tts.NewWyoming(tts.WyomingOptions{Address: address, Voice: voice})
	if err != nil {
		return Spoken{}, err
	}
	return speak(ctx, e, text)
}

func speak(ctx context.Context, e tts.Engine, text string) (s Spoken, err error) {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	begun := time.Now()
	var conv *audio.Resampler
	rate := 0
	for c, err := range e.Speak(ctx, text) {
		if err != nil {
			return s, err
		}
		if len(c.Samples) == 0 {
			continue
		}
		if s.First == 0 {
			s.First = time.Since(begun)
		}
		if c.Rate != rate {
			if conv, err = audio.NewResampler(c.Rate, audio.Rate); err != nil {
				return s, err
			}
			rate = c.Rate
		}
		s.Samples = conv.Process(s.Samples, c.Samples)
	}
	s.Took, s.Length = time.Since(begun), time.Duration(len(s.Samples))*time.Second/audio.Rate
	if len(s.Samples) < audio.Rate/2 {
		return s, errors.New("the voice makes no sound")
	}
	return s, nil
}

// Example is a sentence in a language that some program of the box speaks, for when no voice is installed.
func Example(ctx context.Context, language string) (Spoken, error) {
	var all error
	list := []tts.CommandOptions{tts.Espeak(language)}
	if !strings.HasPrefix(language, "de") {
		list = []tts.CommandOptions{tts.Flite(""), tts.Espeak("en")}
	}
	for _, o := range list {
		e, err := tts.NewCommand(o)
		if err != nil {
			return Spoken{}, err
		}
		s, err := speak(ctx, e, Sentence(language))
		if err == nil {
			return s, nil
		}
		all = errors.Join(all, err)
	}
	return Spoken{}, fmt.Errorf("no voice is installed, and neither flite nor espeak-ng speaks an example: %w", all)
}

// Right is the share of the words that were heard as they were said, 0 to 1.
func Right(said, heard string) float64 {
	want, got := words(said), words(heard)
	if len(want) == 0 {
		return 0
	}
	// The edit distance of the two rows of words.
	row := make([]int, len(got)+1)
	for j := range row {
		row[j] = j
	}
	for i, w := range want {
		last := row[0]
		row[0] = i + 1
		for j, g := range got {
			cost := 1
			if w == g {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return max(0, 1-float64(row[len(got)])/float64(len(want)))
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	})
}
