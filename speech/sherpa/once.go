package sherpa

import "strings"

// once is a text without what a recogniser said again and again at its end, as Whisper does when it does
// not find the end of a short sentence. The last time may be cut short. Nobody says three words and more
// twice, or one word four times.
func once(text string) string {
	words := strings.Fields(text)
	plain := make([]string, len(words))
	for i, w := range words {
		plain[i] = strings.ToLower(strings.Trim(w, ".,!?;:"))
	}
	for n := 1; n <= len(words)/2; n++ {
		from := len(words) - n
		for from > 0 && plain[from-1] == plain[from-1+n] {
			from--
		}
		if times := (len(words) - from) / n; n >= 3 && times >= 2 || times >= 4 {
			return strings.TrimRight(strings.Join(words[:from+n], " "), ",;:")
		}
	}
	return strings.Join(words, " ")
}
