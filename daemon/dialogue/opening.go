package dialogue

// opening is what made the wake phrase unnecessary, and the one route that the
// turn may take then. Zero: nothing did.
type opening struct{ by, route string }

// byHand reports whether a person asked to be heard now, and is told if that
// fails.
func (o opening) byHand() bool { return o.by != "" && o.by != "follow_up" }
