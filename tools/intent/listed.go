package intent

import (
	"slices"

	"hearthd/tools/intent/lang"
)

// device is the slot type of the names of devices.
const device = lang.OneName + "device"

// listed sets devices apart that are said one after the other: "turn off the desk lamp the fan and the radio".
func (m *Matcher) listed(toks []lang.Token) []lang.Token {
	out := slices.Clone(toks)
	for i := 0; i < len(toks); {
		end := m.deviceAt(toks, i)
		if end == i {
			i++
			continue
		}
		i = end
		if next := m.lang.SkipArticles(toks, i); m.deviceAt(toks, next) > next {
			out[i].Comma = true
			i = next
		}
	}
	return out
}

// deviceAt is where the longest name of a device ends that certainly begins at i; i: none does.
func (m *Matcher) deviceAt(toks []lang.Token, i int) int {
	end, read := i, m.lang.Readers[device]
	if read == nil || i == len(toks) {
		return i
	}
	for _, r := range read(toks, i) {
		if r.Cost == 0 {
			end = max(end, r.End)
		}
	}
	return end
}
