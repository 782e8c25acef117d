package thinker

import (
	"errors"

	"hearthd/llm"
)

// Apology is the sentence for an error of Think.
func (t *Thinker) Apology(err error) string {
	var stop *StopError
	switch {
	case errors.Is(err, llm.ErrUnreachable):
		return t.opt.Book.Say("dialogue.thinker_gone")
	case errors.Is(err, llm.ErrModel):
		return t.opt.Book.Say("dialogue.thinker_model")
	case errors.Is(err, llm.ErrBusy):
		return t.opt.Book.Say("dialogue.thinker_busy")
	case errors.Is(err, llm.ErrRate):
		return t.opt.Book.Say("dialogue.thinker_rate")
	case errors.Is(err, llm.ErrQuota):
		return t.opt.Book.Say("dialogue.thinker_quota")
	case errors.Is(err, llm.ErrKey):
		return t.opt.Book.Say("dialogue.thinker_key")
	case errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrNoThinking):
		return t.opt.Book.Say("dialogue.thinker_refused")
	case errors.Is(err, llm.ErrStalled):
		return t.opt.Book.Say("dialogue.thinker_slow")
	case errors.As(err, &stop) && stop.Stop == TimeLimit:
		return t.opt.Book.Say("dialogue.thinker_slow")
	case errors.As(err, &stop) && stop.Stop == Empty:
		return t.opt.Book.Say("dialogue.nothing")
	}
	return t.opt.Book.Say("dialogue.thinker_broke")
}
