package thinker

import "bytes"

// blockKind is a kind of text that is not for the ear.
type blockKind int

const (
	none blockKind = iota
	fence
	thoughts
	toolCall // a tool call that the server did not recognise
	rawJSON
	blockKinds
)

// openers and closers of the blocks. JSON opens with its own first byte, which
// skip has to see, and closes with its last bracket.
var (
	openers = [blockKinds]string{fence: "```", thoughts: "<think>", toolCall: "<tool_call>"}
	closers = [blockKinds]string{fence: "```", thoughts: "</think>", toolCall: "</tool_call>"}
)

// opens says which block begins at the start of b; sure is false where more
// bytes could tell.
func opens(b []byte, final bool) (kind blockKind, sure bool) {
	switch b[0] {
	case '`', '<':
		for k := fence; k <= toolCall; k++ {
			if bytes.HasPrefix(b, []byte(openers[k])) {
				return k, true
			}
			if !final && bytes.HasPrefix([]byte(openers[k]), b) {
				return none, false
			}
		}
	case '{', '[':
		rest := bytes.TrimLeft(b[1:], " \n")
		switch {
		case len(rest) == 0:
			return none, final
		case b[0] == '{' && bytes.IndexByte([]byte(`"'}`), rest[0]) >= 0, b[0] == '[' &&
			bytes.IndexByte([]byte(`{["`), rest[0]) >= 0:
			return rawJSON, true
		}
	}
	return none, true
}

// block says how far the reading of a block is.
type block struct {
	kind   blockKind
	depth  int  // open brackets of JSON
	quoted bool // inside a string of JSON
	escape bool // behind a backslash in that string
}

// skip returns how many bytes of b belong to the block, and becomes none when
// they end it. It keeps back what may be the start of the closer.
func (k *block) skip(b []byte) int {
	if k.kind == rawJSON {
		return k.skipJSON(b)
	}
	closer := []byte(closers[k.kind])
	if i := bytes.Index(b, closer); i >= 0 {
		k.kind = none
		return i + len(closer)
	}
	return max(0, len(b)-len(closer)+1)
}

func (k *block) skipJSON(b []byte) int {
	for i, c := range b {
		switch {
		case k.escape:
			k.escape = false
		case k.quoted:
			k.escape = c == '\\'
			k.quoted = c != '"'
		case c == '"':
			k.quoted = true
		case c == '{', c == '[':
			k.depth++
		case c == '}', c == ']':
			if k.depth--; k.depth == 0 {
				k.kind = none
				return i + 1
			}
		}
	}
	return len(b)
}
