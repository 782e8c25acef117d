// Package relevance ranks tools by what a request says, without a model: by the words that people
// use for a tool, and those of its name, description and parameters. A word counts for a tool by
// how much more often it is said of it than of the others.
//
// A Ranker is not changed after New, so that any goroutine may use it. It must not import any
// package of hearthd but llm.
package relevance

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"hearthd/llm"
)

const (
	// stem is how many letters of a word count: then timer and timers, egg and eggs, remind and
	// reminder are alike, in most languages that are written with letters.
	stem = 5
	// smooth is the share of a word that nobody has ever said of a tool. A smaller one would let
	// one rare word outweigh all others.
	smooth = 0.002
	// ofSlot is the weight of a type of slot, since one thing that is said fills several types.
	ofSlot = 0.5
	// Weights of the words of a specification: a name counts twice as much as a description. Where
	// it is known how people ask for the tool, both count little.
	ofSpec, ofSpecToo = 0.25, 0.05
	// ofName is the weight of a word that a tool is called by, behind the part of its name that says whose it is,
	// where it is not known how people ask for the tool: then it stands against all the little words that they say
	// for the other ones.
	ofName = 2
	// house is the number of tools of a whole house. With few tools a word separates one from the
	// others less than with many: all scores are computed as if there were this many.
	house = 77
	// A request that asks to destroy something, and fits a tool that destroys at least this well,
	// means that tool rather than similar ones.
	about, ofRemoval = 1, 2.5
	// maxNegated is the most words between a negation and what it negates.
	maxNegated = 3
	// maxTerms bounds what is looked at of a specification or a request.
	maxTerms = 400
)

// destroys are words in the names of tools whose effect nobody can undo.
var destroys = []string{"clear", "delete", "drop", "empty", "erase", "forget", "format", "overwrite", "purge", "remove",
	"reset", "uninstall",
	"wipe"}

// removal are words that ask for that.
var removal = []string{"cancel", "clear", "cross", "delete", "drop", "empty", "erase", "forget", "remove", "scrap",
	"scratch", "strike", "take",
	"wipe"}

// negations cancel that: "don't forget the milk".
var negations = []string{"not", "don't", "dont", "never", "without"}

// wording is the share of each term in what people say for a tool. A term is a word, or the type of
// a slot in braces.
type wording = map[string]float64

// Tool is how well a request fits a tool: from about 4 on it may be meant.
type Tool struct {
	Name  string
	Score float64
}

// Ranker ranks the tools that it was made of.
type Ranker struct {
	tools    map[string]wording
	destroys map[string]bool
	called   map[string]map[string]bool // the words that weigh ofName
	usual    wording                    // the average of all tools
	scale    float64                    // of scores
	removing map[string]bool            // terms that ask to destroy something
}

// New takes the specifications of tools; how people ask for them, by tool, as far as that is known;
// and further words, beside the English ones, that ask to destroy something.
func New(specs []llm.ToolSpec, wordings map[string]wording, more []string) *Ranker {
	r := &Ranker{tools: make(map[string]wording, len(specs)), destroys: map[string]bool{},
		called: map[string]map[string]bool{}, usual: wording{}, removing: map[string]bool{}}
	r.scale = math.Log(house) / math.Log(max(2, float64(len(specs))))
	for _, s := range specs {
		w := bag(s, wordings[s.Name])
		r.tools[s.Name], r.destroys[s.Name] = w, Destroys(s)
		if _, name, ok := strings.Cut(s.Name, "_"); ok && len(wordings[s.Name]) == 0 {
			r.called[s.Name] = terms(name)
		}
		for term, share := range w {
			r.usual[term] += share / float64(len(specs))
		}
	}
	for _, word := range slices.Concat(removal, more) {
		r.removing[cut(word)] = true
	}
	return r
}

// Destroys reports whether the name of a tool says that its effect cannot be undone.
func Destroys(s llm.ToolSpec) bool {
	return !s.ReadOnly && slices.ContainsFunc(strings.Split(s.Name, "_"),
		func(part string) bool { return slices.Contains(destroys, part) })
}

// Removes reports whether an English word asks to destroy something.
func Removes(word string) bool { return slices.Contains(removal, word) }

// bag is the terms of a tool.
func bag(s llm.ToolSpec, said wording) wording {
	all, share := wording{}, ofSpec
	for term, n := range said {
		all[cut(term)] += n
	}
	if len(said) > 0 {
		share = ofSpecToo
	}
	own := wording{}
	for term := range terms(s.Name) {
		own[term] = 2 * share
	}
	for term := range terms(s.Description + " " + parameters(s.Parameters)) {
		own[term] += share
	}
	for term, n := range own {
		all[term] = min(1, all[term]+n)
	}
	return all
}

// parameters are the names and descriptions of the arguments, and what may be chosen.
func parameters(schema json.RawMessage) string {
	var p struct {
		Properties map[string]struct {
			Description string `json:"description"`
			Enum        []any  `json:"enum"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &p) != nil {
		return "" // it is checked elsewhere
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		b.WriteString(name + " " + p.Properties[name].Description + " ")
		for _, v := range p.Properties[name].Enum {
			if s, ok := v.(string); ok {
				b.WriteString(s + " ")
			}
		}
	}
	return b.String()
}

// terms are the words of text in the form in which they are compared.
func terms(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\''
	}) {
		if set[cut(word)] = true; len(set) >= maxTerms {
			break
		}
	}
	return set
}

// cut is a term in the form in which it is compared.
func cut(term string) string {
	if strings.HasPrefix(term, "{") || strings.HasPrefix(term, "=") {
		return term
	}
	n := 0
	for i := range term {
		if n++; n > stem {
			return term[:i]
		}
	}
	return term
}

// lift is how much larger share is than usual, as a logarithm; 0 where it is not.
func lift(share, usual float64) float64 {
	return max(0, math.Log((share+smooth)/(usual+smooth)))
}

// Rank returns the tools that fit a request of those terms, the nearest first. A tool that destroys
// something is among them only if the request asks for that.
func (r *Ranker) Rank(request []string) []Tool {
	request = request[:min(len(request), maxTerms)]
	removes := r.asksToRemove(request)
	var said []string
	for _, term := range request {
		said = append(said, cut(term))
	}
	slices.Sort(said) // a sum depends on its order
	said = slices.Compact(said)
	var list []Tool
	for name := range r.tools {
		score := r.score(name, said)
		switch {
		case !r.destroys[name]:
		case removes && score >= about:
			score += ofRemoval
		default:
			score = 0
		}
		if score > 0 {
			list = append(list, Tool{name, score})
		}
	}
	slices.SortFunc(list, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// asksToRemove reports whether a request holds a word that does, without a negation
// before it.
func (r *Ranker) asksToRemove(request []string) bool {
	for i, term := range request {
		before := request[max(0, i-maxNegated):i]
		if r.removing[cut(term)] && !slices.ContainsFunc(before,
			func(w string) bool { return slices.Contains(negations, w) }) {
			return true
		}
	}
	return false
}

func (r *Ranker) score(name string, said []string) (score float64) {
	for _, term := range said {
		l := lift(r.tools[name][term], r.usual[term])
		if strings.HasPrefix(term, "{") {
			l *= ofSlot
		}
		if r.called[name][term] {
			l *= ofName
		}
		score += l
	}
	return score * r.scale
}
