package input

import "github.com/goccy/go-yaml/token"

// perLevel is what a level adds to a path, in bytes, beside its key: "[12345]" or "[”]".
const perLevel = 8

// level is a group or a list that is open.
type level struct {
	column int
	list   bool // of a block: it began with a dash or a question mark
	key    int  // bytes of the key under which its values are now
}

// nesting tracks how deep a text is, token by token. It counts at least as many levels as there
// are: one where a line begins further to the right, one for a dash or a question mark, one for
// what follows that, and one for a bracket.
type nesting struct {
	blocks, flows []level
	path          int // bytes of the path at this place
	line          int
	entered       bool // the token before was a dash or a question mark
}

func (n *nesting) depth() int { return len(n.blocks) + len(n.flows) }

func (n *nesting) step(t *token.Token) {
	entry := t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
	switch {
	case t.Type == token.SequenceStartType || t.Type == token.MappingStartType:
		n.push(&n.flows, level{})
	case t.Type == token.SequenceEndType || t.Type == token.MappingEndType:
		if len(n.flows) > 0 {
			n.pop(&n.flows)
		}
	case len(n.flows) > 0:
		if entry { // this is not YAML, but the parser descends into it all the same
			n.push(&n.flows, level{})
		}
	case entry || n.entered || t.Position.Line != n.line:
		n.block(level{column: t.Position.Column, list: entry})
	}
	n.line, n.entered = t.Position.Line, entry
}

// block opens a level, and closes those that it is not inside. A list may begin in the same column
// as the group that it is in.
func (n *nesting) block(l level) {
	for len(n.blocks) > 0 {
		last := n.blocks[len(n.blocks)-1]
		if last.column < l.column || last.column == l.column && l.list && !last.list {
			break
		}
		n.pop(&n.blocks)
	}
	n.push(&n.blocks, l)
}

func (n *nesting) push(levels *[]level, l level) {
	*levels = append(*levels, l)
	n.path += perLevel
}

func (n *nesting) pop(levels *[]level) {
	last := len(*levels) - 1
	n.path -= (*levels)[last].key + perLevel
	*levels = (*levels)[:last]
}

// beneath notes that what follows belongs to a key of so many bytes.
func (n *nesting) beneath(key int) {
	levels := n.flows
	if len(levels) == 0 {
		levels = n.blocks
	}
	if len(levels) == 0 {
		return
	}
	top := &levels[len(levels)-1]
	n.path += key - top.key
	top.key = key
}
