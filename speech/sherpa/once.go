package sherpa

import "strings"

// once is a text without what a recogniser said again and again at its end, as Whisper does when it does
// not find the end of a short sentence. The last time may be cut short. Nobody says three words and more
// twice, begins a sentence with the words of the one before, or says one word four times.
func once(text string) string {
	words := strings.Fields(text)
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = strings.ToLower(strings.TrimRight(w, stops))
	}
	for n := 1; n < len(words); n++ {
		from := len(words) - n
		for from > 0 && plain[from-1] == plain[from-1+n] {
			from--
		}
		length := len(words) - from
		ends := strings.ContainsAny(words[from+n-1], ".!?")
		if n >= 3 && length >= 2*n || length >= 4*n || n >= 3 && ends && length >= n+3 {
			return strings.TrimRight(strings.Join(words[:from+n], " "), ",;:")
		}
	}
	return strings.Join(words, " ")
}

// stops are the signs that a word may end with.
const stops = ".,!?;:"
