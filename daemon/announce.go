package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/dialogue"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/llm"
	"hearthd/tools"
)

// lead is how long after it was asked for an announcement begins at several boxes: it
// may take "okay" to say first, and the slowest voice its first words.
const lead = 2 * time.Second

// announcement is what the tool is asked for.
type announcement struct {
	Text string `json:"text"`
	To   string `json:"to"`

	sound []byte // WAV file instead of a text, or nil
}

// announceTools is the tool that announces, when the turn that asks for it has
// ended, here or at other boxes of the house.
func (d *peers) announceTools() []tools.Tool {
	return []tools.Tool{tools.Func(llm.ToolSpec{
		Name:        "announce",
		Description: "Announce a text to everybody in the house, or in one room, after a chime. Without a text the person is asked to speak, and is heard there.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"text":{"type":"string","minLength":1,"maxLength":400},
			"to":{"type":"string","maxLength":100,"description":"the room, or the group of rooms; without it everywhere"}}}`),
	}, d.tell)}
}

// tell announces.
func (d *peers) tell(ctx context.Context, a announcement) (tools.Result, error) {
	here, others, off := d.addressed(a.To)
	switch {
	case !here && len(others) == 0 && len(off) == 0:
		return tools.Result{Text: "I know no speaker called " + contract.Spoken(a.To) + "."}, nil
	case !here && len(others) == 0:
		return tools.Result{Text: speakers(off) + " off, or cannot be reached."}, nil
	case a.Text == "":
		return d.intercom(ctx, a, others)
	case len(others) == 0:
		return d.announceHere(ctx, a.Text)
	}
	return d.announceThere(ctx, a, here, others, off)
}

// addressed are the boxes that a name means, all for none: this one, and others that
// are there or not.
func (d *peers) addressed(name string) (here bool, others, off []string) {
	online := d.wire.Online()
	for _, p := range d.boxes.Boxes() {
		switch {
		case name != "" && !p.Called(name):
		case online && p.Online:
			others = append(others, p.Node)
		case name != "": // who asks for all means those that are there
			off = append(off, p.Node)
		}
	}
	return name == "" || d.self().Called(name), others, off
}

// announceHere is for a box on its own.
func (d *peers) announceHere(ctx context.Context, text string) (tools.Result, error) {
	err := d.here(ctx).Announce(ctx, tools.Sentence(text), true, false)
	var refused dialogue.Refusal
	switch {
	case errors.Is(err, dialogue.ErrDND):
		return tools.Result{Text: "I am not to disturb anybody, so I announce nothing."}, nil
	case errors.Is(err, dialogue.ErrQuiet):
		return tools.Result{Text: "It is quiet time, so I announce nothing."}, nil
	case errors.As(err, &refused):
		return tools.Result{}, &tools.Failure{Say: "Sorry, I can't announce that now.", Cause: err}
	}
	return tools.Result{Text: "Okay."}, err
}

// announceThere lets several boxes speak, and says which do not.
func (d *peers) announceThere(ctx context.Context, a announcement, here bool, others, off []string) (tools.Result, error) {
	to, wait := slices.Clone(others), time.Duration(0)
	if here {
		to = append(to, d.node)
	}
	if len(to) > 1 {
		wait = lead
	}
	answers, err := d.boxes.Announce(ctx, peer.Announcement{Text: tools.Sentence(a.Text), Sound: a.sound, To: to, Lead: wait, Boxes: len(to)})
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: "Sorry, I cannot reach the other speakers.", Cause: err}
	}
	said := func(ok bool) (list []string) {
		for _, node := range to {
			if slices.ContainsFunc(answers, func(x peer.Answer) bool { return x.Box == node && x.OK == ok }) {
				list = append(list, node)
			}
		}
		return list
	}
	done, refused := said(true), said(false)
	silent := slices.DeleteFunc(slices.Clone(to), func(n string) bool { return slices.Contains(done, n) || slices.Contains(refused, n) })
	text := []string{"Okay."}
	if len(done) == 0 {
		text = nil
	}
	if len(refused) > 0 {
		text = append(text, speakers(refused)+" not to disturb anybody now.")
	}
	if unheard := append(silent, off...); len(unheard) > 0 {
		text = append(text, speakers(unheard)+" off, or cannot be reached.")
	}
	return tools.Result{Text: strings.Join(text, " ")}, nil
}

// speakers begins a sentence about some boxes.
func speakers(nodes []string) string {
	var names []string
	for _, n := range nodes {
		names = append(names, contract.Spoken(n))
	}
	if len(names) == 1 {
		return "The " + names[0] + " speaker is"
	}
	return "The speakers in " + tools.Join(names) + " are"
}
