package input

// JSONDepth is how deep objects and lists are nested in a JSON text. For a text that is not JSON
// the number means nothing.
func JSONDepth(text []byte) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return most
}
