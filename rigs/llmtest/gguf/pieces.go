package gguf

import (
	"slices"
	"strings"
)

const (
	maxPieces = 800
	minSeen   = 3 // times that a piece must occur in the corpus
)

// pieces learns the most frequent pieces of words of a text, by pair merging (Gage
// 1994, as Sennrich et al. 2016 use it). Each is the join of two that come before it or
// of single characters, which is what SentencePiece's merging needs. A word keeps the
// space before it.
func pieces(corpus string) []string {
	count := map[string]int{}
	for _, w := range strings.Fields(corpus) {
		count["▁"+w]++
	}
	type entry struct {
		parts []string
		times int
	}
	var words []entry
	for w, n := range count {
		if strings.IndexFunc(w, func(r rune) bool { return r != '▁' && r > '~' }) < 0 {
			words = append(words, entry{strings.Split(w, ""), n})
		}
	}
	var learnt []string
	for len(learnt) < maxPieces {
		pairs := map[[2]string]int{}
		for _, w := range words {
			for i := 1; i < len(w.parts); i++ {
				pairs[[2]string{w.parts[i-1], w.parts[i]}] += w.times
			}
		}
		best, most := [2]string{}, minSeen-1
		for p, n := range pairs {
			if n > most || n == most && most >= minSeen && slices.Compare(p[:], best[:]) < 0 {
				best, most = p, n
			}
		}
		if most < minSeen {
			break
		}
		if p := best[0] + best[1]; !slices.Contains(learnt, p) { // two pairs may give one piece
			learnt = append(learnt, p)
		}
		for i := range words {
			words[i].parts = join(words[i].parts, best)
		}
	}
	return learnt
}

// join joins every occurrence of a pair.
func join(parts []string, pair [2]string) []string {
	out := parts[:0]
	for i := 0; i < len(parts); i++ {
		if i+1 < len(parts) && parts[i] == pair[0] && parts[i+1] == pair[1] {
			out = append(out, pair[0]+pair[1])
			i++
			continue
		}
		out = append(out, parts[i])
	}
	return out
}
