package lang

// vocabulary is the names of one kind. It does not change.
type vocabulary struct {
	exact  Phrases[string]
	forms  map[int][]form    // by number of words
	joined map[string]string // names without the spaces between their words
	short  map[string]string // by the first part of a compound: the Einhorn of an Einhornlampe; "": of two
	said   []string          // for a grammar, sorted
}

// form is a name as it sounds.
type form struct {
	words  []string // folded
	value  string
	itself bool   // the value itself is the form
	last   string // its last word as it is written
}
