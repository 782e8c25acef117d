package speakers

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"hearthd/daemon/dialogue/answer"
	"hearthd/llm"
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Halt stops what a person has just set moving in the house, and reports whether anything moved.
type Halt func(context.Context) (r tools.Result, halted bool, err error)

// PlayerSpokenOf makes the player that was spoken of last as loud as a person asks: volume, or louder, by so
// many percent points. It reports whether there is one.
type PlayerSpokenOf func(ctx context.Context, do string, percent int) (r tools.Result, is bool, err error)

// Tools are the tools that act on the speaker that a request came to.
func (s *Speakers) Tools(said *answer.Toolbox, halt Halt, spokenOf PlayerSpokenOf) []tools.Tool {
	return []tools.Tool{
		s.setVolume(spokenOf),
		s.plain("speaker_stop", "Be quiet: stop speaking and drop what is waiting to be said.", false,
			func(ctx context.Context, _ string, at machine) (tools.Result, error) {
				if err := at.Hush(ctx); err != nil {
					return tools.Result{}, err
				}
				if r, halted, err := halt(ctx); halted {
					return r, err
				}
				return tools.Result{Text: s.book.Say("speaker.okay")}, nil
			}),
		s.plain("volume_tell", "Tell how loud this speaker is set.", true,
			func(ctx context.Context, _ string, at machine) (tools.Result, error) {
				now, err := at.Volume(ctx)
				return s.volumeResult(now), err
			}),
		// A person who is heard can ask for it, but cannot ask to undo it.
		tools.WithLimits(s.plain("speaker_mute",
			"Close the microphone until a person opens it with the button, the console or the command line.", false,
			func(ctx context.Context, _ string, at machine) (tools.Result, error) {
				return tools.Result{Text: s.book.Say("speaker.mic_off")}, at.SetMuted(ctx, true)
			}), tools.Limits{Grave: tools.Always}),
		s.plain("speaker_unmute", "Open the microphone again.", false,
			func(ctx context.Context, _ string, at machine) (tools.Result, error) {
				return tools.Result{Text: s.book.Say("speaker.mic_on")}, at.SetMuted(ctx, false)
			}),
		s.plain("sources_tell", "Tell where the last answer that was looked up is from.", true,
			func(_ context.Context, guest string, _ machine) (tools.Result, error) {
				return s.cited(said.Cited(guest)), nil
			}),
		s.plain("speaker_repeat", "Say once more what was said last.", true,
			func(_ context.Context, guest string, _ machine) (tools.Result, error) {
				text, foreign := said.Said(guest)
				if text == "" {
					text = s.book.Say("speaker.nothing_said")
				}
				return tools.Result{Text: text, Foreign: foreign}, nil
			}),
	}
}

// setVolume is the tool that makes this speaker, or the player that was spoken of, as loud as a person asks.
func (s *Speakers) setVolume(spokenOf PlayerSpokenOf) tools.Tool {
	return tools.WithLimits(tools.CallFunc(llm.ToolSpec{
		Name: "volume_set",
		Description: "Set the volume to a percentage, or change it by a step: of this speaker or, where another player " +
			"was spoken of last and this one is silent, of that one.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,
			"properties":{
				"percent":{"type":"integer","minimum":0,"maximum":100},
				"step":{"type":"integer","minimum":-100,"maximum":100,"description":"percent points up or down"},
				"own":{"type":"boolean","description":"certainly this speaker's, by which it speaks"}},
			"oneOf":[{"required":["percent"]},{"required":["step"]}]}`),
	}, func(ctx context.Context, c tools.Call, a struct {
		Percent *int `json:"percent"`
		Step    int  `json:"step"`
		Own     bool `json:"own"`
	}) (tools.Result, error) {
		do, by := "louder", a.Step
		if a.Percent != nil {
			do, by = "volume", *a.Percent
		}
		if !a.Own && c.For.Guest == "" {
			if r, is, err := spokenOf(ctx, do, by); is || err != nil {
				return r, err
			}
		}
		if a.Percent == nil {
			return s.step(ctx, c.For, a.Step)
		}
		return s.volumeResult(*a.Percent), s.at(c.For).SetVolume(ctx, *a.Percent)
	}), tools.Limits{Grave: tools.Loud})
}

// Louder changes the volume of the box.
func (s *Speakers) Louder(ctx context.Context, step int) (tools.Result, error) {
	return s.step(ctx, llm.Ask{}, step)
}

func (s *Speakers) step(ctx context.Context, ask llm.Ask, step int) (tools.Result, error) {
	now, err := s.at(ask).StepVolume(ctx, step)
	return s.volumeResult(now), err
}

// plain is a tool without arguments, for the speaker that a request came to.
func (s *Speakers) plain(name, what string, readOnly bool, do func(ctx context.Context, guest string,
	at machine) (tools.Result, error)) tools.Tool {
	return tools.CallFunc(llm.ToolSpec{
		Name: name, Description: what, ReadOnly: readOnly,
		Parameters: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`),
	}, func(ctx context.Context, c tools.Call, _ struct{}) (tools.Result, error) {
		return do(ctx, c.For.Guest, s.at(c.For))
	})
}

// cited says where an answer is from, in one short clause.
func (s *Speakers) cited(sources []llm.Source) tools.Result {
	var titles []string
	for _, from := range sources {
		if t := spokenTitle(from); t != "" && !slices.Contains(titles, t) && len(titles) < maxCited {
			titles = append(titles, t)
		}
	}
	if len(titles) == 0 {
		return tools.Result{Text: s.book.Say("speaker.no_sources")}
	}
	return tools.Result{Text: s.book.Say("speaker.sources", phrase.Args{"titles": titles}), Data: sources,
		Foreign: true}
}

// Of the sources of an answer maxCited are read out, of a title maxTitle bytes: three
// seconds.
const maxCited, maxTitle = 3, 50

// spokenTitle is the title of a source for the ear: without the name of the site for a page,
// without its ending for a file. Without a title it is the site.
func spokenTitle(s llm.Source) string {
	title := s.Title
	if u, err := url.Parse(s.URL); title == "" && err == nil {
		return strings.TrimPrefix(u.Hostname(), "www.")
	}
	for _, mark := range []string{" | ", " - ", " – ", " — "} {
		title, _, _ = strings.Cut(title, mark)
	}
	for _, ending := range []string{".md", ".txt", ".pdf"} {
		title = strings.Replace(strings.TrimSuffix(title, ending), ending+", ", ", ", 1)
	}
	if title = strings.Trim(title, " .,:;!?"); len(title) <= maxTitle {
		return title
	}
	title = strings.ToValidUTF8(title[:maxTitle], "")
	if i := strings.LastIndexByte(title, ' '); i > 0 {
		title = title[:i]
	}
	return strings.TrimRight(title, " .,:;")
}

func (s *Speakers) volumeResult(percent int) tools.Result {
	return tools.Result{
		Text: s.book.Say("speaker.volume", phrase.Args{"percent": percent}),
		Data: map[string]int{"percent": percent},
	}
}
