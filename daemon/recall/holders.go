package recall

// Holders are the parts of the process that hold what was said and looked up. Once all of them have
// forgotten, none of it is written any more.
type Holders []func()

// Add adds functions that make a part forget. All are added before any part runs.
func (h *Holders) Add(forget ...func()) { *h = append(*h, forget...) }

// Forget has all of them forget.
func (h *Holders) Forget() {
	for _, forget := range *h {
		forget()
	}
}
