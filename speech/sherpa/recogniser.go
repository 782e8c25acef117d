package sherpa

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode"

	"hearthd/speech/model"
)

// Recogniser is a loaded model that hears.
type Recogniser struct {
	l         *Library
	handle    uintptr
	streaming bool
	hotWords  func(string) string // how the model writes a phrase; nil: it knows no hot words
	mu        sync.Mutex          // one utterance at a time is decoded: the model keeps its scratch in itself
}

// tail is how much silence Whisper is given after the words, in frames of 10 ms. With less it does not see
// the end and says the last words again and again; each second of it costs as much as one of speech.
const tail = 500

var errModel = errors.New("the library cannot load the model")

// Recogniser loads a model for one language, "" for any that it hears itself.
func (l *Library) Recogniser(m *model.Manifest, language string, threads int) (*Recogniser, error) {
	var t texts
	defer t.keep()
	r := &Recogniser{l: l, streaming: m.Kind == model.Zipformer}
	switch m.Kind {
	case model.Zipformer:
		c := &onlineConfig{Features: features{16000, 80}, Paths: 4, HotWordsScore: 1.5, Model: onlineModel{
			Transducer: transducer{t.c(m.Path("encoder")), t.c(m.Path("decoder")), t.c(m.Path("joiner"))},
			Tokens:     t.c(m.Path("tokens")), Threads: int32(threads), Provider: t.c("cpu"),
		}}
		c.Method = t.c("greedy_search")
		if m.Path("bpe_vocab") != "" {
			tokens, err := readBounded(m.Path("tokens"))
			if err != nil {
				return nil, fmt.Errorf("load model %s: %w", m.Name, err)
			}
			if r.hotWords = strings.ToLower; capitals(tokens) {
				r.hotWords = strings.ToUpper
			}
			c.Method, c.Model.Unit, c.Model.Vocabulary = t.c("modified_beam_search"), t.c("bpe"), t.c(m.Path("bpe_vocab"))
		}
		r.handle = l.createOnline(c)
	case model.Whisper, model.Moonshine, model.Moonshine2:
		c := &offlineConfig{Features: features{16000, 80}, Method: t.c("greedy_search"), Model: offlineModel{
			Tokens: t.c(m.Path("tokens")), Threads: int32(threads), Provider: t.c("cpu"),
		}}
		if m.Kind == model.Whisper {
			c.Model.Whisper = whisper{t.c(m.Path("encoder")), t.c(m.Path("decoder")), t.c(language), t.c("transcribe"),
				tail, [2]int32{}}
		} else {
			c.Model.Moonshine = moonshine{t.c(m.Path("preprocessor")), t.c(m.Path("encoder")),
				t.c(m.Path("uncached_decoder")), t.c(m.Path("cached_decoder")), t.c(m.Path("merged_decoder"))}
		}
		r.handle = l.createOffline(c)
	default:
		return nil, fmt.Errorf("load model %s: a %s does not hear", m.Name, m.Kind)
	}
	if r.handle == 0 {
		return nil, fmt.Errorf("load model %s: %w", m.Name, errModel)
	}
	return r, nil
}

// capitals reports whether the tokens of a model are in capital letters, as those of LibriSpeech are.
func capitals(tokens []byte) bool {
	for line := range strings.Lines(string(tokens)) {
		if !strings.HasPrefix(line, "<") && strings.ContainsFunc(line, unicode.IsLower) {
			return false
		}
	}
	return true
}

// Streaming reports whether words come while somebody speaks.
func (r *Recogniser) Streaming() bool { return r.streaming }

// Close unloads the model. No Stream may be open.
func (r *Recogniser) Close() {
	if r.streaming {
		r.l.destroyOnline(r.handle)
	} else {
		r.l.destroyOffline(r.handle)
	}
}

// Stream is one utterance. Its owner closes it.
type Stream struct {
	r       *Recogniser
	handle  uintptr   // of a recogniser that streams
	samples []float32 // of one that does not
}

// Open begins an utterance. hotWords are phrases that are likelier than others, where the model can.
func (r *Recogniser) Open(hotWords []string) (*Stream, error) {
	if !r.streaming {
		return &Stream{r: r}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &Stream{r: r}
	if r.hotWords != nil && len(hotWords) > 0 {
		var t texts
		defer t.keep()
		s.handle = r.l.onlineStreamWords(r.handle, t.c(r.hotWords(strings.Join(hotWords, "/"))))
	} else {
		s.handle = r.l.onlineStream(r.handle)
	}
	if s.handle == 0 {
		return nil, errors.New("begin utterance: the library has none")
	}
	return s, nil
}

// Write takes samples at 16 kHz. A recogniser that streams decodes them.
func (s *Stream) Write(samples []int16) {
	if len(samples) == 0 {
		return
	}
	from := len(s.samples)
	s.samples = appendFloats(s.samples, samples)
	if s.r.streaming {
		s.feed(s.samples[from:])
		s.samples = s.samples[:0]
	}
}

// appendFloats adds samples as the library takes them, from -1 to 1.
func appendFloats(to []float32, samples []int16) []float32 {
	for _, v := range samples {
		to = append(to, float32(v)/-math.MinInt16)
	}
	return to
}

func (s *Stream) feed(samples []float32) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	s.r.l.onlineAccept(s.handle, 16000, &samples[0], int32(len(samples)))
	s.decode()
}

func (s *Stream) decode() {
	for s.r.l.onlineReady(s.r.handle, s.handle) != 0 {
		s.r.l.onlineDecode(s.r.handle, s.handle)
	}
}

// Text is what was heard so far. Without streaming it costs as much as the whole.
func (s *Stream) Text() (string, error) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if s.r.streaming {
		return s.tell(s.r.l.onlineResult(s.r.handle, s.handle), s.r.l.onlineResultFree)
	}
	if len(s.samples) == 0 {
		return "", nil
	}
	stream := s.r.l.offlineStream(s.r.handle)
	if stream == 0 {
		return "", errors.New("decode: the library has no stream")
	}
	defer s.r.l.offlineDestroy(stream)
	s.r.l.offlineAccept(stream, 16000, &s.samples[0], int32(len(s.samples)))
	s.r.l.offlineDecode(s.r.handle, stream)
	return s.tell(s.r.l.offlineResult(stream), s.r.l.offlineResultFree)
}

func (s *Stream) tell(r *result, free func(*result)) (string, error) {
	if r == nil {
		return "", errors.New("decode: the library has no result")
	}
	defer free(r)
	return once(str(r.Text)), nil
}

// silence pushes the last words through a recogniser that looks ahead.
var silence [16000 / 2]float32

// Finish is the text of all of it.
func (s *Stream) Finish() (string, error) {
	if s.r.streaming {
		s.feed(silence[:])
		s.r.mu.Lock()
		s.r.l.onlineFinished(s.handle)
		s.decode()
		s.r.mu.Unlock()
	}
	return s.Text()
}

// Close ends the utterance.
func (s *Stream) Close() {
	if s.handle != 0 {
		s.r.mu.Lock()
		defer s.r.mu.Unlock()
		s.r.l.onlineDestroy(s.handle)
		s.handle = 0
	}
	s.samples = nil
}
