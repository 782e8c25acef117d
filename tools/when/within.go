package when

import "time"

// Within reports whether at, since midnight, is in the hours from to to, which may
// go over midnight.
func Within(at, from, to time.Duration) bool {
	if to <= from {
		return at >= from || at < to
	}
	return at >= from && at < to
}
