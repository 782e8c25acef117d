package dialogue

import (
	"context"

	"hearthd/daemon/dialogue/spoken"
	"hearthd/llm"
)

// responder answers by speech, somewhere else.
type responder interface {
	// Wanted reports whether what a person is about to say may go there. It does not
	// block.
	Wanted() bool
	// Excuse is a sentence for a person whose request would have gone there and does
	// not, which they are to be told now; mostly it is empty.
	Excuse() string
	// Prepare connects, because somebody is about to speak. It does not block.
	Prepare()
	// Remark has it say something that stays out of the conversation, as a turn that
	// needs no Commit.
	Remark(ctx context.Context, instructions string) (spoken.Turn, error)
	// Converses reports whether it keeps the window open until it has said goodbye.
	Converses() bool
	// Leave disconnects, because the conversation is over.
	Leave()
	// Note tells of a turn that somebody else answered in the same conversation.
	Note(ask llm.Ask, answer string)
	// Open begins a turn there.
	Open(ctx context.Context) (spoken.Turn, error)
}
