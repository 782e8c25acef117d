package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/fetch"
	"hearthd/tools/phrase"
)

const (
	usual = 3
	looks = 20 // passages from which the best are chosen
	// near is the largest distance of a passage that answers, as cosine distance of common
	// embedding models: nomic-embed-text gives 0.3 to 0.4 for an answer and over 0.5 for an
	// unrelated passage.
	near = 0.45
	// embedLimit is how long a search waits for the embedding of its query.
	embedLimit = 1500 * time.Millisecond
	spoken     = 350 // runes of one passage that is read out alone
	shown      = 900 // runes of one of several
)

// result is a passage in the structured result.
type result struct {
	File    string `json:"file"`
	Section string `json:"section,omitempty"`
	Text    string `json:"text"`
}

func (k *Knowledge) search(ctx context.Context, a struct {
	Query    string `json:"query" need:"yes" min:"1" max:"300" about:"what is looked for, with the name of the device or the dish if one was named"`
	Passages int    `json:"passages" min:"1" max:"5" about:"how many; 3 when it is not given"`
}) (tools.Result, error) {
	found, err := k.o.Store.SearchDocuments(ctx, a.Query, k.meaning(ctx, a.Query), k.o.Model, looks)
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: k.o.Book.Say("knowledge.unreachable"), Cause: err}
	}
	words := terms(a.Query)
	found = slices.DeleteFunc(found, func(f llm.Found) bool {
		return f.Distance > near && !fits(words, f)
	})
	// Passages with all the words come first; otherwise the order of the search stays.
	slices.SortStableFunc(found, func(a, b llm.Found) int { return cmp.Compare(all(words, b), all(words, a)) })
	found = found[:min(len(found), cmp.Or(a.Passages, usual))]
	if len(found) == 0 {
		text := k.o.Book.Say("knowledge.nothing", phrase.Args{"query": fetch.Line(a.Query, 80)})
		return tools.Result{Text: text, Data: []result{}}, nil
	}
	limit := shown
	if len(found) == 1 || a.Passages == 1 {
		limit = spoken
	}
	r := tools.Result{Foreign: true}
	var text []string
	var data []result
	for _, f := range found {
		_, page, _ := strings.Cut(" "+f.Section, " page ")
		text = append(text, k.o.Book.Say("knowledge.says", phrase.Args{
			"name": f.Name, "page": page, "section": f.Section, "text": excerpt(f.Text, words, limit),
		}))
		data = append(data, result{f.Path, f.Section, f.Text})
		if s := (llm.Source{Title: strings.TrimSuffix(f.Path+", "+f.Section, ", ")}); !slices.Contains(r.Sources, s) {
			r.Sources = append(r.Sources, s)
		}
	}
	r.Text, r.Data = strings.Join(text, "\n"), data
	return r, nil
}

// meaning is the vector of a query, or nil if there is none in time.
func (k *Knowledge) meaning(ctx context.Context, query string) []float32 {
	if k.o.Meaning == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, embedLimit)
	defer cancel()
	vs, err := k.o.Meaning.Embed(ctx, []string{query})
	if err != nil || len(vs) != 1 {
		return nil
	}
	return vs[0]
}

// idle are words of a question that do not tell what it is about.
var idle = strings.Fields(`a about all an and any are as at be by can could did do does document documents file for
	from get guide handbook has have how i in instructions is it its manual manuals me my need not notes of on or our
	say says should tell that the their then there this to up us was we what when where which who why will with would
	you your`)

// split is the words of a text in lower case.
func split(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// terms are the words of a query that matter, without endings.
func terms(query string) []string {
	var out []string
	for _, w := range split(query) {
		if slices.Contains(idle, w) {
			continue
		}
		if r := []rune(w); len(r) > 4 { // descale, descaling
			w = string(r[:max(4, len(r)-3)])
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// coverage is the share of the words that are in text.
func coverage(words []string, text string) float64 {
	if len(words) == 0 {
		return 0
	}
	in, n := " "+strings.Join(split(text), " "), 0
	for _, w := range words {
		if strings.Contains(in, " "+w) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}

// fits reports whether a passage has at least half of the words that are not in the name of
// its document: not every passage of the boiler's manual answers "boiler pressure".
func fits(words []string, f llm.Found) bool {
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return coverage([]string{w}, f.Name) > 0 })
	return len(words) > 0 && (len(rest) == 0 || coverage(rest, f.Section+" "+f.Text) >= 0.5)
}

// all is 1 if a passage has all the words, else 0.
func all(words []string, f llm.Found) int {
	if coverage(words, f.Name+" "+f.Section+" "+f.Text) == 1 {
		return 1
	}
	return 0
}

// excerpt is text, or, if that is too long, the consecutive sentences with most of the words.
func excerpt(text string, words []string, limit int) string {
	text = fetch.Line(text, 1<<30)
	if len([]rune(text)) <= limit {
		return text
	}
	var starts []int
	for at := 0; at < len(text); {
		starts = append(starts, at)
		n := strings.IndexAny(text[at:], ".!?")
		for n >= 0 && at+n+1 < len(text) && text[at+n+1] != ' ' { // "1.5 bar"
			next := strings.IndexAny(text[at+n+1:], ".!?")
			if next < 0 {
				n = -1
				break
			}
			n += 1 + next
		}
		if n < 0 {
			break
		}
		at += n + 2
	}
	best, most := 0, 0.0
	for _, s := range starts { // if several have the same words, the last, which begins with one
		if c := coverage(words, fetch.Line(text[s:], limit)); c > 0 && c >= most {
			best, most = s, c
		}
	}
	return fetch.Line(text[best:], limit)
}
