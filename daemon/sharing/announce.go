package sharing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/peer"
	"hearthd/daemon/refusal"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// lead is how long after the request an announcement begins at several boxes: it may have to say
// "okay" first, and the slowest voice its first words.
const lead = 2 * time.Second

// announcement is what the tool is asked for.
type announcement struct {
	Text string `json:"text"`
	To   string `json:"to"`

	sound []byte // WAV file instead of a text, or nil
}

// Tools has the tool that announces something, when the turn that asks for it has ended, here or at
// other boxes of the house.
func (p *Peers) Tools() []tools.Tool {
	return []tools.Tool{tools.CallFunc(llm.ToolSpec{
		Name: "announce",
		Description: "Announce a text to everybody in the house, or in one room, after a chime. Without a text " +
			"the person is asked to speak, and is heard there.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"text":{"type":"string","minLength":1,"maxLength":400},
			"to":{"type":"string","maxLength":100,"description":"the room, or the group of rooms; without it everywhere"}}}`),
	}, p.tell)}
}

// tell announces.
func (p *Peers) tell(ctx context.Context, c tools.Call, a announcement) (tools.Result, error) {
	here, others, off := p.addressed(a.To)
	switch {
	case !here && len(others) == 0 && len(off) == 0:
		return tools.Result{Text: p.opt.Book.Say("speaker.unknown", phrase.Args{"box": contract.Spoken(a.To)})}, nil
	case !here && len(others) == 0:
		return tools.Result{Text: p.opt.Book.Say("speaker.off", phrase.Args{"boxes": spoken(off)})}, nil
	case a.Text == "":
		return p.intercom(ctx, a, others, c.Recorded)
	case len(others) == 0:
		return p.announceHere(ctx, c.For, a.Text)
	}
	return p.announceThere(ctx, a, here, others, off)
}

// addressed are the boxes that a name means, or all for none: this one, and others that are there
// or not.
func (p *Peers) addressed(name string) (here bool, others, off []string) {
	online := p.Wire.Online()
	for _, b := range p.Boxes() {
		switch {
		case name != "" && !b.Called(name):
		case online && b.Online:
			others = append(others, b.Node)
		case name != "": // a person who asks for all means those that are there
			off = append(off, b.Node)
		}
	}
	return name == "" || p.self().Called(name), others, off
}

// announceHere is for a box on its own.
func (p *Peers) announceHere(ctx context.Context, ask llm.Ask, text string) (tools.Result, error) {
	switch until, quiet := p.opt.Quiet(); {
	case quiet && until == "":
		return tools.Result{Text: p.opt.Book.Say("speaker.undisturbed")}, nil
	case quiet:
		return tools.Result{Text: p.opt.Book.Say("speaker.quiet_time")}, nil
	}
	err := p.opt.Announce(ctx, ask, phrase.Sentence(text), false)
	switch refused := refusal.Error(""); {
	case errors.Is(err, refusal.Speaker):
		return tools.Result{}, &tools.Failure{Say: p.opt.Book.Say("speaker.mute"), Cause: err}
	case errors.As(err, &refused):
		return tools.Result{}, &tools.Failure{Say: p.opt.Book.Say("speaker.cannot_announce"), Cause: err}
	}
	return tools.Result{Text: p.opt.Book.Say("speaker.okay")}, err
}

// announceThere makes several boxes speak, and names those that do not.
func (p *Peers) announceThere(ctx context.Context, a announcement, here bool, others, off []string) (tools.Result,
	error) {
	to, wait := slices.Clone(others), time.Duration(0)
	if here {
		to = append(to, p.opt.Node)
	}
	if len(to) > 1 {
		wait = lead
	}
	answers, err := p.Announce(ctx, peer.Announcement{Text: phrase.Sentence(a.Text), Sound: a.sound, To: to,
		Lead: wait})
	if err != nil {
		return tools.Result{}, &tools.Failure{Say: p.opt.Book.Say("speaker.others_gone"), Cause: err}
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
	silent := slices.DeleteFunc(slices.Clone(to), func(n string) bool {
		return slices.Contains(done, n) ||
			slices.Contains(refused, n)
	})
	text := []string{p.opt.Book.Say("speaker.okay")}
	if len(done) == 0 {
		text = nil
	}
	if len(refused) > 0 {
		text = append(text, p.opt.Book.Say("speaker.refused", phrase.Args{"boxes": spoken(refused)}))
	}
	if unheard := append(silent, off...); len(unheard) > 0 {
		text = append(text, p.opt.Book.Say("speaker.off", phrase.Args{"boxes": spoken(unheard)}))
	}
	return tools.Result{Text: strings.Join(text, " ")}, nil
}

// spoken are the names of boxes as people say them.
func spoken(nodes []string) (names []string) {
	for _, n := range nodes {
		names = append(names, contract.Spoken(n))
	}
	return names
}

// intercom asks for a message, and sends the recording to the others.
func (p *Peers) intercom(ctx context.Context, a announcement, others []string, sound []int16) (tools.Result, error) {
	if len(others) == 0 {
		return tools.Result{Text: p.opt.Book.Say("speaker.alone")}, nil
	}
	if sound == nil {
		return tools.Result{Text: p.opt.Book.Say("speaker.message"), Record: true}, nil
	}
	var wav bytes.Buffer
	if err := audio.EncodeWAV(&wav, audio.Chunk{Samples: sound, Rate: audio.Rate}); err != nil {
		return tools.Result{}, fmt.Errorf("encode message: %w", err)
	}
	a.Text, a.sound = p.opt.Book.Say("speaker.message_from", phrase.Args{"box": contract.Spoken(p.opt.Node)}),
		wav.Bytes()
	return p.announceThere(ctx, a, false, others, nil)
}
