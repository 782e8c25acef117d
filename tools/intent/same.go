package intent

import "bytes"

// Same reports whether two texts ask for the same, with or without the wake phrase. Texts that no
// intent covers do only if they are equal.
func (m *Matcher) Same(a, b string) bool {
	a, _ = m.Wake(a)
	b, _ = m.Wake(b)
	if a == b {
		return true
	}
	one, ok := m.Match(a)
	if !ok {
		return false
	}
	other, ok := m.Match(b)
	return ok && one.Call.Name == other.Call.Name && bytes.Equal(one.Call.Arguments, other.Call.Arguments)
}
