package llmtest

import "slices"

// wyomingWaiting is what a connection waits for once it was asked to detect.
type wyomingWaiting struct {
	on    bool
	names []string // that were asked for, none for all
	heard int      // samples since audio-start
}

// wakeModels is what wyoming-openwakeword says of its models, cut to the names.
func (s *Wyoming) wakeModels() []any {
	models := []any{}
	for _, w := range s.script.Wake {
		models = append(models, map[string]any{"name": w.Name, "installed": true})
	}
	return models
}

func (p *wyomingPeer) detect(data map[string]any) error {
	if p.server.script.Wake == nil {
		return p.complain("ValueError", "no wake service")
	}
	p.wake = wyomingWaiting{on: true}
	if names, ok := data["names"].([]any); ok {
		for _, n := range names {
			name, ok := n.(string)
			if !ok {
				return p.complain("TypeError", "names")
			}
			p.wake.names = append(p.wake.names, name)
		}
	}
	p.server.record(WyomingRequest{Type: "detect", Data: data})
	return p.misbehave("")
}

// listen takes the audio and, as openWakeWord does, answers with the timestamp
// of the chunk that a word ended in.
func (p *wyomingPeer) listen(kind string, data map[string]any, payload []byte) error {
	if kind == "audio-start" {
		p.open, p.wake.heard = true, 0
		p.server.record(WyomingRequest{Type: kind, Data: data})
		return nil
	}
	if !p.open {
		return p.complain("RuntimeError", "audio-chunk without audio-start")
	}
	before := p.wake.heard
	p.wake.heard += len(payload) / 2
	for _, w := range p.server.script.Wake {
		if len(p.wake.names) > 0 && !slices.Contains(p.wake.names, w.Name) {
			continue
		}
		for _, at := range w.At {
			if at <= before || at > p.wake.heard || p.server.script.Fault != WyomingGood {
				continue
			}
			found := map[string]any{"name": w.Name, "timestamp": data["timestamp"]}
			if w.Untimed {
				found["timestamp"] = nil
			}
			if err := p.send("detection", found, nil); err != nil {
				return err
			}
		}
	}
	return nil
}
