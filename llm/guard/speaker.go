package guard

import (
	"bytes"
	"encoding/json"
	"slices"

	"hearthd/llm"
)

// maxStep is the most by which "louder" changes the volume, in percent points.
const maxStep = 30

var (
	// atSpeaker are the words of requests that mean the speaker without naming it: louder, stop,
	// turn it up a bit.
	atSpeaker = set(`louder quieter softer up down volume sound speaker turn make be a bit little lot much more the
		your it that yourself please hey ok okay now and stop quiet silent shush hush enough talking speaking`)
	louder  = set("louder up")
	quieter = set("quieter softer down")
	silence = set("stop quiet silent shush hush enough")
)

// speaker reports whether a request asks for a call of one of the speaker's own two tools, which
// people ask for in one word.
func speaker(request string, call llm.ToolCall, taught map[string]string) bool {
	parts, ok := split(request, taught)
	words := slices.Concat(parts...)
	other := slices.ContainsFunc(words, func(w string) bool { return !atSpeaker[w] })
	if !ok || other || len(words) == 0 {
		return false
	}
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return set[w] })
	}
	switch call.Name {
	case "speaker_stop":
		args := string(bytes.TrimSpace(call.Arguments))
		return has(silence) && (args == "" || args == "{}" || args == "null")
	case "volume_set":
		var args struct {
			Step int `json:"step"`
		}
		dec := json.NewDecoder(bytes.NewReader(call.Arguments))
		dec.DisallowUnknownFields()
		if dec.Decode(&args) != nil || dec.More() || has(louder) == has(quieter) {
			return false
		}
		step := args.Step
		if has(quieter) {
			step = -step
		}
		return step > 0 && step <= maxStep
	}
	return false
}
