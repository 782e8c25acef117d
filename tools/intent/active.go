package intent

import (
	"slices"
	"strings"

	"hearthd/tools/intent/lang"
)

// active makes an order of what somebody wants to have done: "I want the volume turned down" is "turn the
// volume down", and "the lamp in the hall should be switched off" is "switch the lamp in the hall off".
func (m *Matcher) active(toks []lang.Token) []lang.Token {
	clause := m.bare(toks)
	named := m.words.Wishes.Skip(clause, 0)
	for i := named + 1; i < len(clause); i++ {
		end := i
		for end > named && m.words.Being[clause[end-1].Text] {
			end--
		}
		order := m.orderIn(clause[i].Text)
		if order == "" || end == named || named == 0 && !m.must(clause[:end], i > end) {
			continue
		}
		end -= m.mustOf(clause[:end])
		return slices.Concat([]lang.Token{{Text: order}}, clause[named:end], clause[i+1:])
	}
	return toks
}

// orderIn is the order that a participle is made of, or nothing.
func (m *Matcher) orderIn(participle string) string {
	order := m.words.Participles[participle]
	for _, end := range m.words.ParticipleEnds {
		base, ok := strings.CutSuffix(participle, end)
		if ok && order == "" && m.words.Orders.Skip([]lang.Token{{Text: base}}, 0) == 1 {
			order = base
		}
	}
	return order
}

// must reports whether what stands in front of a participle says that this is to be done.
func (m *Matcher) must(before []lang.Token, being bool) bool {
	n := m.mustOf(before)
	return being && n > 0 && n < len(before) && !m.words.Asks[before[0].Text]
}

// mustOf counts the words at the end of some that say that something is to be done: should.
func (m *Matcher) mustOf(before []lang.Token) int {
	for n := min(maxMust, len(before)); n > 0; n-- {
		if m.words.Musts.Skip(before, len(before)-n) == len(before) {
			return n
		}
	}
	return 0
}

// maxMust bounds them: "needs to".
const maxMust = 2
