// Package queue hands things over without waiting: to a bounded queue, or to a bell, which has room for
// one ring. It has no state and imports nothing of hearthd.
package queue

// Offer sends v unless the queue is full, and reports whether it did.
func Offer[T any](to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	default:
		return false
	}
}

// Bell wakes one goroutine. To ring it again before it was heard changes nothing.
type Bell chan struct{}

// NewBell makes one.
func NewBell() Bell { return make(Bell, 1) }

// Ring rings it.
func (b Bell) Ring() { Offer(b, struct{}{}) }
