package intent

import "bytes"

// Rivals reports whether text b is a request, and another one than text a makes, with or without
// the wake phrase.
func (m *Matcher) Rivals(a, b string) bool {
	a, _ = m.Wake(a)
	b, _ = m.Wake(b)
	if a == b {
		return false
	}
	other, ok := m.Match(b)
	if !ok {
		return false
	}
	one, ok := m.Match(a)
	return !ok || one.Call.Name != other.Call.Name || !bytes.Equal(one.Call.Arguments, other.Call.Arguments)
}
