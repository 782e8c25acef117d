package stt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// path is the best path of a search.
type path struct {
	text     string // the words, without fillers and marks of pronunciation
	acoustic int    // log likelihood of the whole utterance, in the program's units
	frames   int    // 10 ms frames that the words cover
}

// margin is how much better than free p explains what was heard, per frame of
// words. It is below zero, as free may hear anything.
func (p path) margin(free path) float64 {
	return float64(p.acoustic-free.acoustic) / float64(max(1, p.frames))
}

// parsePath reads a line as pocketsphinx_batch -hypseg writes it:
//
//	<id> S 0 T <total> A <acoustic> L <language> {<start> <acoustic> <language> <word>} <end>
//
// where start and end are frames. Without a path the list is empty.
func parsePath(line string) (path, error) {
	f := strings.Fields(line)
	if len(f) < 10 || f[1] != "S" || f[5] != "A" || f[7] != "L" || (len(f)-10)%4 != 0 {
		return path{}, fmt.Errorf("read result of %d fields: not a segmentation", len(f))
	}
	var p path
	var err error
	if p.acoustic, err = strconv.Atoi(f[6]); err != nil {
		return path{}, fmt.Errorf("read score: %w", err)
	}
	var words []string
	for i := 9; i+4 < len(f); i += 4 {
		start, err := frameNumber(f[i])
		if err != nil {
			return path{}, err
		}
		end, err := frameNumber(f[i+4])
		if err != nil {
			return path{}, err
		}
		w, _, _ := strings.Cut(f[i+3], "(") // second pronunciations are word(2)
		if w == "" || w == "SIL" || strings.ContainsAny(w[:1], "<[+") {
			continue
		}
		p.frames += max(0, end-start)
		words = append(words, w)
	}
	p.text = strings.Join(words, " ")
	if p.text == "" {
		p.frames = 0
	}
	return p, nil
}

// behind reads paths as pocketsphinx_batch -nbest writes them, words and a total score, best
// first, and gives how far the first one that rivals text is behind the first of all. Fillers are
// left out of the words.
func behind(paths, text string, rivals func(a, b string) bool) (float64, error) {
	best, known := 0, map[string]bool{text: true}
	for line := range strings.Lines(paths) {
		words, score, found := cutLast(strings.TrimSpace(line))
		n, err := strconv.Atoi(score)
		if !found || err != nil {
			return 0, fmt.Errorf("read path %.40q: not words and a score", line)
		}
		if best == 0 {
			best = n
		}
		if !known[words] && rivals(text, words) {
			return float64(best - n), nil
		}
		known[words] = true
	}
	return math.Inf(1), nil
}

func cutLast(line string) (before, last string, found bool) {
	i := strings.LastIndexByte(line, ' ')
	if i < 0 {
		return "", line, line != ""
	}
	return line[:i], line[i+1:], true
}

// maxFrames is more 10 ms frames than an utterance has.
const maxFrames = 1 << 20

// frameNumber reads a frame's number; -1 stands for before the first.
func frameNumber(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && (n < -1 || n > maxFrames) {
		err = fmt.Errorf("%d is out of range", n)
	}
	if err != nil {
		return 0, fmt.Errorf("read frame number: %w", err)
	}
	return n, nil
}
