package hass

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"hearthd/config/letters"
	"hearthd/tools"
	"hearthd/tools/home"
)

const (
	// agentLimit is how long the agent may take: a small machine needs less than a second.
	agentLimit = 3 * time.Second
	maxAnswer  = 1000 // bytes of what it says
)

// localAgents are the names of the agent that works by rules on Home Assistant's own machine: at
// present, and in 2024.3. One of them is always named, because the agent that a house has chosen as
// its default may be a model in the cloud.
var localAgents = []string{"conversation.home_assistant", "homeassistant"}

// notUnderstood is the agent's code for a sentence that it has no rule for.
const notUnderstood = "no_intent_match"

// Offer has Home Assistant's own agent do or answer what text asks. If it does not take it,
// Text is its reason, or empty where it has no rule for it. Without a connection nothing is
// offered, and that is no error. What is taken with an error was offered and not answered: it may be done.
func (c *Client) Offer(ctx context.Context, text, language string) (r tools.Result, taken bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, agentLimit)
	defer cancel()
	var out struct {
		Response struct {
			Type   string `json:"response_type"`
			Speech struct {
				Plain struct {
					Speech string `json:"speech"`
				} `json:"plain"`
			} `json:"speech"`
			Data struct {
				Code string `json:"code"`
			} `json:"data"`
		} `json:"response"`
	}
	guessed, err := c.guesses(ctx, text, language)
	switch {
	case guessed, errors.Is(err, home.ErrAway):
		return tools.Result{}, false, nil
	case err != nil:
		return tools.Result{}, false, err
	}
	for _, agent := range localAgents {
		err = c.ask(ctx, map[string]any{
			"type": "conversation/process", "text": text, "language": language, "agent_id": agent,
		}, &out)
		var refused *refusal
		if !errors.As(err, &refused) || refused.code != "invalid_format" { // this agent exists
			break
		}
	}
	switch {
	case errors.Is(err, home.ErrAway) && !errors.Is(err, home.ErrUnanswered):
		return tools.Result{}, false, nil
	case err != nil:
		return tools.Result{}, errors.Is(err, home.ErrUnanswered), err
	}
	said := strings.TrimSpace(letters.Plain(out.Response.Speech.Plain.Speech, maxAnswer))
	switch out.Response.Type {
	case "action_done", "query_answer":
		if said == "" {
			said = c.opt.Book.Say("tools.done")
		}
		return tools.Result{Text: said, Foreign: brings(said, text)}, true, nil
	}
	if out.Response.Data.Code == notUnderstood {
		said = ""
	}
	return tools.Result{Text: said, Foreign: brings(said, text)}, false, nil
}

// guesses reports whether the agent has no rule for text, and would only guess what it means: it
// answers "No timers." when it is asked how fast a fan turns. It says so since 2025.9.
func (c *Client) guesses(ctx context.Context, text, language string) (bool, error) {
	var out struct {
		Results []*struct {
			Fuzzy bool `json:"fuzzy_match"`
		} `json:"results"`
	}
	err := unlessRefused(c.ask(ctx, map[string]any{
		"type": "conversation/agent/homeassistant/debug", "sentences": []string{text}, "language": language,
	}, &out))
	return len(out.Results) > 0 && out.Results[0] != nil && out.Results[0].Fuzzy, err
}

var (
	// ownWords are the words of the agent's usual answers in English and German. None of them asks
	// for anything, neither alone nor with others.
	ownWords = strings.Fields(`the a an i it of in to at by and or yes no not none all any is are was were am pm sorry
		couldn t m that understand aware called device devices area areas floor exposed turned switched opened opening
		closed closing done started stopped added locked unlocked activated input boolean scene script light lights lamp
		lamps fan fans cover covers blind blinds curtain curtains percent degrees c f celsius fahrenheit brightness
		temperature der die das den dem des eine einen ist sind war nein ja nicht kein keine ich es im in am und oder alle
		licht lichter lampe lampen eingeschaltet ausgeschaltet angeschaltet geöffnet geschlossen erledigt gestartet
		gestoppt hinzugefügt gesperrt entsperrt aktiviert rollladen rollläden jalousie jalousien vorhang vorhänge prozent
		grad helligkeit temperatur gerät geräte bereich namens leider konnte verstehen`)
	// Behind these, on and off ask for nothing.
	being = strings.Fields("turned switched is are was were not")
)

// brings reports whether an answer contains words that the person has not said, such as the name
// that a device gave itself, and that are not the agent's own.
func brings(answer, said string) bool {
	known, before := words(said), ""
	for _, w := range words(answer) {
		state := (w == "on" || w == "off") && slices.Contains(being, before)
		if !state && !slices.Contains(ownWords, w) && !slices.Contains(known, w) {
			return true
		}
		before = w
	}
	return false
}

// words are those of a text without its numbers, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	})
}
