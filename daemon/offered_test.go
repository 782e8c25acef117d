package daemon

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/llm"
	"hearthd/llm/thinker"
	"hearthd/tools/phrase"
)

// showing is a model that keeps what tools it is shown, and says one word.
type showing struct {
	tools  []string
	domain string
}

func (s *showing) Chat(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		s.tools = nil
		for _, t := range req.Tools {
			s.tools = append(s.tools, t.Name)
		}
		if !yield(llm.Delta{Text: "Well."}, nil) {
			return
		}
	}
}

// wanting is a thinker of a house with devices and all that needs no key.
func wanting(t *testing.T) (*thinker.Thinker, *showing) {
	t.Helper()
	h := fullHouse(t, func(c *config.Config) { c.MQTT.Broker, c.Tools.Home.Source = "mqtt://127.0.0.1", "mqtt" })
	if err := h.registry.Register(h.devices.Tools()...); err != nil {
		t.Fatal(err)
	}
	domains, mistakes := thinker.LoadDomains("")
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	m := &showing{}
	th, err := thinker.New(thinker.Options{Book: phrase.English(), Chat: m,
		Tools: thinkersTools{h.registry, h.toolbox}, Sayings: h.matcher, Domains: domains,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return th, m
}

// wants are requests with the tools of which one is needed.
func wants(t *testing.T, file string) (list [][2]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if request, tools, ok := strings.Cut(strings.TrimSpace(line), " => "); ok {
			list = append(list, [2]string{request, tools})
		}
	}
	return list
}

func ask(t *testing.T, th *thinker.Thinker, m *showing, request string) []string {
	t.Helper()
	for d, err := range th.Think(t.Context(), llm.Ask{Text: request}) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Usage != nil {
			m.domain = d.Usage.Thinker
		}
	}
	return m.tools
}

func TestARequestIsOfferedTheToolThatItNeeds(t *testing.T) {
	for name, forget := range map[string]bool{"at first": true, "in a long conversation": false} {
		t.Run(name, func(t *testing.T) {
			th, m := wanting(t)
			list := wants(t, "testdata/wanted.txt")
			missed := 0
			for _, w := range list {
				if forget {
					th.Forget()
				}
				tools := ask(t, th, m, w[0])
				if forget && slices.Contains(tools, "memory_forget_everything") &&
					!slices.Contains([]string{"memory_forget_everything", "memory_forget_last", "memory_forget"},
						w[1]) {
					t.Errorf("%s: memory_forget_everything is offered", w[0])
				}
				if !slices.ContainsFunc(strings.Fields(w[1]),
					func(tool string) bool { return slices.Contains(tools, tool) }) {
					missed++
					t.Logf("%s: no %s among %v", w[0], w[1], tools)
				}
			}
			if missed*10 > len(list) { // one of ten
				t.Errorf("%d of %d requests are not offered their tool", missed, len(list))
			}
		})
	}
}
