package recall

// Holders are the parts of the process that hold what was said and looked up. Once all of
// them have forgotten, nothing of that is written any more.
type Holders []func()

// Add adds what some of them do to forget. All are there before any part runs.
func (h *Holders) Add(forget ...func()) { *h = append(*h, forget...) }

// Forget has all of them forget.
func (h *Holders) Forget() {
	for _, forget := range *h {
		forget()
	}
}
