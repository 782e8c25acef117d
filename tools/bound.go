package tools

import (
	"encoding/json"
	"fmt"

	"hearthd/llm"
)

// Bounds of a result.
const (
	maxData    = 64 << 10 // bytes of JSON
	maxSources = 20
	maxSource  = 1000 // bytes of a title or an address
)

// cutData stands for the data of a result that were too long.
type cutData struct {
	Cut   bool   `json:"cut"`
	Bytes int    `json:"bytes"` // that there were
	Head  string `json:"head"`  // of their JSON
}

// bound cuts the parts of r that are over their limits, and marks them.
func bound(r Result) Result {
	r.Text = shorten(r.Text, maxText)
	r.Data = boundData(r.Data)
	if len(r.Sources) > maxSources {
		r.Sources = r.Sources[:maxSources]
	}
	for i, s := range r.Sources {
		if len(s.Title) > maxSource || len(s.URL) > maxSource {
			r.Sources = append([]llm.Source(nil), r.Sources...) // the tool may keep them
			r.Sources[i] = llm.Source{Title: shorten(s.Title, maxSource)}
			if len(s.URL) <= maxSource { // half an address leads elsewhere
				r.Sources[i].URL = s.URL
			}
		}
	}
	return r
}

// boundData gives data as it is, or, when its JSON has more than maxData bytes,
// its beginning. What has no JSON becomes a note that says so.
func boundData(data any) any {
	if data == nil {
		return nil
	}
	text, err := json.Marshal(data)
	switch {
	case err != nil:
		return map[string]string{"error": shorten(fmt.Sprintf("encode data: %v", err), 200)}
	case len(text) > maxData:
		return cutData{Cut: true, Bytes: len(text), Head: shorten(string(text), maxData/2)}
	}
	return data
}
