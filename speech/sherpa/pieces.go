package sherpa

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"

	"hearthd/speech/model"
)

// pieces are what a model writes words of, with how likely each is: a unigram model of SentencePiece.
type pieces struct {
	score   map[string]float64
	longest int // of them, in bytes
	upper   bool
}

// space begins a word, in a piece.
const space = "\u2581"

// maxPieces bounds a file of pieces or tokens, in bytes. That of GigaSpeech has 240 kB.
const maxPieces = 4 << 20

// readPieces reads the file of a model of SentencePiece. The library ends the process when it is given a piece that
// tokens lacks, so what is not there is no piece.
func readPieces(path, tokens string) (*pieces, error) {
	list, err := readBounded(tokens)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if token, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.ContainsAny(token[:1], "<:#@") {
			known[token] = true
		}
	}
	b, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	p := &pieces{score: map[string]float64{}, upper: capitals(list)}
	err = eachField(b, func(number protowire.Number, value []byte, _ uint32) error {
		if number != 1 { // the rest says how it was trained
			return nil
		}
		var text string
		var score float64
		err := eachField(value, func(number protowire.Number, value []byte, bits uint32) error {
			switch number {
			case 1:
				text = string(value)
			case 2:
				score = float64(math.Float32frombits(bits))
			}
			return nil
		})
		if known[text] {
			p.score[text], p.longest = score, max(p.longest, len(text))
		}
		return err
	})
	if err == nil && len(p.score) == 0 {
		err = errors.New("it has none of the tokens")
	}
	if err != nil {
		return nil, fmt.Errorf("read pieces of words: %w", err)
	}
	return p, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPieces))
}

// eachField calls take for each field of a message of Protocol Buffers that has bytes, or 32 bits.
func eachField(b []byte, take func(number protowire.Number, value []byte, bits uint32) error) error {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var value []byte
		var bits uint32
		switch kind {
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(b)
		case protowire.Fixed32Type:
			bits, n = protowire.ConsumeFixed32(b)
		default:
			n = protowire.ConsumeFieldValue(number, kind, b)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		if err := take(number, value, bits); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// write divides a phrase into the likeliest pieces.
func (p *pieces) write(phrase string) ([]string, error) {
	words := strings.FieldsFunc(phrase, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	text := strings.Join(words, space)
	if p.upper {
		text = strings.ToUpper(text)
	} else {
		text = strings.ToLower(text)
	}
	text = space + text
	best := make([]float64, len(text)+1) // the score of the likeliest pieces up to there
	from := make([]int, len(text)+1)     // where the last of them begins; 0 but at the first: there are none
	for end := 1; end <= len(text); end++ {
		best[end], from[end] = math.Inf(-1), -1
		for begin := max(0, end-p.longest); begin < end; begin++ {
			if score, ok := p.score[text[begin:end]]; ok && best[begin]+score > best[end] {
				best[end], from[end] = best[begin]+score, begin
			}
		}
	}
	if len(words) == 0 || strings.ContainsFunc(phrase, unicode.IsNumber) || from[len(text)] < 0 {
		return nil, fmt.Errorf("%w: %q", model.ErrPhrase, phrase)
	}
	var all []string
	for end := len(text); end > 0; end = from[end] {
		all = append([]string{text[from[end]:end]}, all...)
	}
	return all, nil
}
