package realtime

import (
	"encoding/json"
	"fmt"
)

const (
	// maxID bounds ids and names that are kept or repeated, in bytes; those of OpenAI
	// have about thirty, and names of functions at most 64.
	maxID = 128
	// maxTranscript bounds the words of a person, in bytes: fast speech of the longest utterance
	// has 300.
	maxTranscript = 4096
)

// decode reads an event. It fails on what no service sends.
func decode(data []byte) (*incoming, error) {
	var which struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &which); err != nil {
		return nil, fmt.Errorf("read event: %w", err)
	}
	e := incoming{Type: which.Type}
	if !used[e.Type] { // it may have any shape
		return &e, nil
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, fmt.Errorf("read event %s: %w", e.Type, err)
	}
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("read event %s: %w", e.Type, err)
	}
	return &e, nil
}

// check bounds what of an event is kept or passed on.
func (e *incoming) check() error {
	ids := []string{e.ResponseID, e.Response.ID, e.ItemID, e.Item.ID, e.Item.CallID, e.Item.Name, e.CallID, e.Name}
	for i := range e.Response.Output {
		it := &e.Response.Output[i]
		ids = append(ids, it.ID, it.CallID, it.Name)
	}
	for _, id := range ids {
		if len(id) > maxID {
			return fmt.Errorf("an id or a name of %d bytes, limit %d", len(id), maxID)
		}
	}
	if len(e.Transcript) > maxTranscript {
		return fmt.Errorf("a transcript of %d bytes, limit %d", len(e.Transcript), maxTranscript)
	}
	return nil
}

// used are the events that the loop reads, and passed those that say nothing that is needed here;
// all others are counted.
var (
	used = map[string]bool{
		"response.created": true, "response.done": true, "response.output_audio.delta": true,
		"response.output_audio_transcript.delta": true, "response.output_text.delta": true,
		"response.output_item.done": true, "response.function_call_arguments.done": true,
		"input_audio_buffer.committed":                          true,
		"conversation.item.input_audio_transcription.completed": true,
		"conversation.item.input_audio_transcription.failed":    true, "error": true,
		"input_audio_buffer.speech_started": true, "response.output_audio.done": true,
		"response.output_item.added":             true,
		"response.function_call_arguments.delta": true,
	}
	passed = map[string]bool{
		"session.created": true, "session.updated": true, "conversation.created": true, "rate_limits.updated": true,
		"conversation.item.created": true, "conversation.item.added": true, "conversation.item.done": true,
		"conversation.item.truncated": true, "conversation.item.input_audio_transcription.delta": true,
		"conversation.item.input_audio_transcription.segment": true,
		"input_audio_buffer.cleared":                          true, "input_audio_buffer.speech_stopped": true,
		"conversation.item.deleted": true, "response.content_part.added": true,
		"response.content_part.done": true, "response.output_text.done": true,
		"response.output_audio_transcript.done": true,
		// Of tools that the service runs elsewhere.
		"mcp_list_tools.in_progress": true, "mcp_list_tools.completed": true, "mcp_list_tools.failed": true,
		"response.mcp_call_arguments.delta": true, "response.mcp_call_arguments.done": true,
		"response.mcp_call.in_progress": true, "response.mcp_call.completed": true, "response.mcp_call.failed": true,
	}
)
