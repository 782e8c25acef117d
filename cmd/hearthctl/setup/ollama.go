package setup

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
)

const (
	ollamaLimit = 3 * time.Second
	// pullStall is how long a download may stand still.
	pullStall = 2 * time.Minute
	maxTags   = 4 << 20 // bytes
)

// localModel is what a model needs of a machine: its file, as ollama.com/library/qwen3 lists it
// (Q4_K_M), and the keys and values of its layers, as config.json of Qwen/Qwen3-* gives them.
type localModel struct {
	name   string
	fileMB int
	layers int
}

func localModels() []localModel {
	return []localModel{{"qwen3:0.6b", 523, 28}, {"qwen3:1.7b", 1400, 28}, {"qwen3:4b", 2500, 36},
		{"qwen3:8b", 5200, 36}}
}

const (
	// Of each of these models: 8 heads of keys and values, 128 numbers each, 2 bytes.
	bytesPerToken = 2 * 8 * 128 * 2
	// overheadMB is left for the buffers of a computation, and othersMB for the system
	// and for hearthd with its engines: round numbers, not measured on every box.
	overheadMB, othersMB = 300, 700
)

// needMB is the memory that a model takes with a context of tokens.
func (m *localModel) needMB(tokens int) int {
	return m.fileMB + m.layers*bytesPerToken*tokens/1_000_000 + overheadMB
}

// thinker asks for an Ollama, or explains what this box can do without one.
func (w *wizard) thinker(ctx context.Context) error {
	w.guide("\nThinker\n")
	usual := w.now.Thinker.URL
	installed, err := ollamaModels(ctx, usual)
	if usual != "" && err == nil {
		w.guide("An Ollama answers on %s.\n", usual)
	} else if usual != "" {
		w.guide("No Ollama answers on %s. How to get one: https://ollama.com/download/linux, and \"An Ollama\"\n"+
			"in /usr/share/doc/hearthd/guide/configure.md.\n", usual)
		if !w.yes {
			usual = "none"
		}
	}
	best := w.explain()
	q := question{flag: "ollama", text: "Ollama (none, or an address such as http://192.168.1.20:11434)",
		usual: cmp.Or(usual, "none"), key: "thinker.url",
		remark: "It answers what no built-in sentence covers; none: hearthd says that it did not understand."}
	err = w.until(q, func(a string) error {
		if a == "none" {
			a = ""
		}
		err := w.set("thinker.url", a, "The Ollama that answers what no built-in sentence covers; empty: none.")
		if err == nil && a != "" && !w.yes {
			if installed, err = ollamaModels(ctx, a); err != nil {
				w.say("It does not answer now: %v\n", err)
			}
			return nil
		}
		return err
	})
	if err != nil || w.last("thinker.url") == "" {
		return err
	}
	return w.model(ctx, installed, best)
}

// explain shows which model fits this machine, and returns the best of them, or "".
func (w *wizard) explain() (best string) {
	have, tokens := w.box().MemoryMB(), w.now.Thinker.NumCtx
	w.guide("This machine has %d MB of memory. A model of %d tokens of context needs, and of that here:\n", have, tokens)
	for _, m := range localModels() {
		fits := "does not fit"
		if m.needMB(tokens)+othersMB <= have {
			fits, best = "fits", m.name
		}
		w.guide("    %-12s %5d MB  %s\n", m.name, m.needMB(tokens), fits)
	}
	if best == "" {
		w.guide("None fits: let an Ollama on another machine think. Timers, alarms, lists, units, weather, news and " +
			"the\ndevices of the house need none.\n")
	}
	return best
}

// model asks for the model, and offers to fetch it.
func (w *wizard) model(ctx context.Context, installed []string, best string) error {
	q := question{flag: "model", text: "Model", usual: w.now.Thinker.Model,
		key: "thinker.model", remark: "Its model; ollama pull fetches it."}
	for _, name := range installed {
		q.list = append(q.list, option{value: name})
	}
	if best != "" && !w.yes && !slices.Contains(installed, q.usual) {
		q.usual = best
	}
	err := w.put(q)
	name := w.last("thinker.model")
	if err != nil || w.yes || installed == nil || slices.Contains(installed, name) ||
		slices.Contains(installed, name+":latest") {
		return err
	}
	fetch, err := w.agree(name+" is not there yet. Fetch it now?", true)
	if err != nil || !fetch {
		return err
	}
	if err := pull(ctx, w.last("thinker.url"), name, w.out); err != nil {
		w.say("%v\nLater: ollama pull %s\n", err, ctl.Visible(name))
	}
	return nil
}

// ollamaModels are the names of the models of an Ollama; not nil if it answers.
func ollamaModels(ctx context.Context, url string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, ollamaLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/api/tags", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var tags struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", res.Status)
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxTags)).Decode(&tags); err != nil {
		return nil, fmt.Errorf("the server that answers is not an Ollama: %w", err)
	}
	names := []string{}
	for _, m := range tags.Models {
		names = append(names, m.Name)
	}
	return names, nil
}

// pull has an Ollama fetch a model. Ollama checks it, and resumes a download that was cut off.
func pull(ctx context.Context, url, name string, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := time.AfterFunc(pullStall, func() { cancel(fmt.Errorf("nothing came for %v", pullStall)) })
	defer stall.Stop()
	body, err := json.Marshal(map[string]any{"model": name})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(url, "/")+"/api/pull",
		strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", ctl.Visible(name), err)
	}
	defer res.Body.Close()
	p := &ctl.Progress{Out: out, Name: name}
	defer p.End()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		stall.Reset(pullStall)
		var s struct {
			Status, Error    string
			Total, Completed int64
		}
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("fetch %s: %w", ctl.Visible(name), err)
		}
		switch {
		case s.Error != "":
			return fmt.Errorf("fetch %s: %s", ctl.Visible(name), ctl.Visible(s.Error))
		case s.Status == "success":
			return nil
		case s.Total > 0:
			p.Show(s.Completed, s.Total)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return fmt.Errorf("fetch %s: %w", ctl.Visible(name), err)
	}
	return fmt.Errorf("fetch %s: it ended early; the next time it goes on", ctl.Visible(name))
}
