package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func names(list []Finding) string {
	var n []string
	for _, f := range list {
		n = append(n, string(f.Verdict)+" "+f.Check)
	}
	return strings.Join(n, ", ")
}

func TestCauseStandsBeforeWhatItExplains(t *testing.T) {
	for _, c := range []struct {
		name string
		list []Finding
		want string
	}{
		{"a bad configuration keeps the service from starting",
			[]Finding{New(Service, Fail, ""), New(Thinker, OK, ""), New(Configuration, Fail, "")},
			"fail configuration, fail service, ok thinker"},
		{"a held card makes the microphone fail", []Finding{New(Microphone, Fail, ""), New(Holders, Fail, ""),
			New(Cards, OK, "")}, "fail card use, fail microphone, ok sound cards"},
		{"what nothing explains comes before what something does",
			[]Finding{New(Speaker, Fail, ""), New(Cards, Fail, ""), New(Thinker, Fail, "")},
			"fail sound cards, fail thinker, fail speaker"},
		{"a warning never stands before a failure", []Finding{New(Configuration, Warn, ""), New(Service, Fail, "")},
			"fail service, warn configuration"},
		{"what was skipped stands last", []Finding{New(Configuration, Skip, ""), New(Hardening, OK, "")},
			"ok hardening, skip configuration"},
		{"a clock that is wrong by years explains certificates",
			[]Finding{New(Cloud, Fail, ""), New(Broker, Fail, ""), {Check: Clock, Verdict: Fail, Root: true}},
			"fail clock, fail broker, fail cloud"},
		{"a box without a sound card may be a container", []Finding{{Check: Cards, Verdict: Fail, Late: true},
			New(Microphone, Fail, ""), New(Service, Fail, "")}, "fail service, fail sound cards, fail microphone"},
		{"a clock that nobody keeps explains nothing", []Finding{New(Clock, Fail, ""), New(Broker, Fail, "")},
			"fail broker, fail clock"},
	} {
		Order(c.list)
		if got := names(c.list); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestEveryCheckHasAPlaceAmongTheCauses(t *testing.T) {
	text, err := os.ReadFile("order.go")
	if err != nil {
		t.Fatal(err)
	}
	block, _, _ := strings.Cut(string(text), "\n)\n\n// causal")
	n := 0
	for line := range strings.Lines(block) {
		if _, value, ok := strings.Cut(line, "= \""); ok {
			n++
			if name, _, _ := strings.Cut(value, `"`); rank(name) == len(causal) {
				t.Errorf("%q is not in the order of causes", name)
			}
		}
	}
	if n != len(causal) {
		t.Errorf("%d checks, and %d in the order of causes", n, len(causal))
	}
}

func TestChecksRunSideBySideAndHeavyOnesOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heavy, light, most atomic.Int64
		var order []string
		load := func(name string) func(context.Context) []Finding {
			return func(context.Context) []Finding {
				if heavy.Add(1) > 1 {
					t.Error("two heavy checks at once")
				}
				order = append(order, name)
				time.Sleep(time.Second)
				heavy.Add(-1)
				return []Finding{New(name, OK, "")}
			}
		}
		rest := func(context.Context) []Finding {
			most.Store(max(most.Load(), light.Add(1)))
			time.Sleep(time.Second)
			light.Add(-1)
			return []Finding{New(Disk, OK, "")}
		}
		begun := time.Now()
		list := Run(t.Context(), []Check{
			{Microphone, time.Minute, true, load(Microphone)}, {Disk, time.Minute, false, rest},
			{Disk, time.Minute, false, rest},
			{Voice, time.Minute, true, load(Voice)}, {Thinker, time.Minute, true, load(Thinker)},
		}, func(string) {})
		if took := time.Since(begun); took != 3*time.Second || most.Load() != 2 {
			t.Errorf("took %v, %d light checks at once", took, most.Load())
		}
		if want := []string{Microphone, Voice, Thinker}; !slices.Equal(order, want) || len(list) != 5 ||
			list[0].TookMS != 1000 {
			t.Errorf("%v, %+v", order, list)
		}
	})
}

func TestCheckThatHeedsNoLimitIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		list := Run(t.Context(), []Check{{Disk, time.Second, false,
			func(context.Context) []Finding { <-stuck; return nil }}}, func(string) {})
		if len(list) != 1 || list[0].Verdict != Fail || !strings.Contains(list[0].Text, "hangs") {
			t.Errorf("%+v", list)
		}
		close(stuck)
	})
}

func TestInterruptedExaminationLooksAtNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	list := Run(ctx,
		[]Check{{Disk, time.Second, true, func(context.Context) []Finding { t.Error("looked"); return nil }}},
		func(string) {})
	if len(list) != 1 || list[0].Verdict != Skip {
		t.Errorf("%+v", list)
	}
}

var page = []Finding{
	New(Broker, Fail,
		"The MQTT broker at 192.168.1.20:1883 refuses the user or password (mqtt.user is hearth)").Mend("cat >/etc/credstore/hearthd.mqtt (type it, then Ctrl-D); systemctl restart hearthd"),
	{Check: Microphone, Verdict: Fail, Text: "it is gone", Because: Holders},
	New(Clock, Warn, "not synchronised").Mend("timedatectl set-ntp true"),
	New(Thinker, OK, "Ollama 0.24.0 at http://127.0.0.1:11434, qwen3:1.7b; first token warm after 212 ms"),
	New(Cloud, Skip, "not configured"),
}

func TestPageIsForAPersonToRead(t *testing.T) {
	for name, style := range map[string]Style{"page.txt": {}, "page_narrow.txt": {Width: 72},
		"page_colour.txt": {Colour: true, Width: 200}} {
		var b strings.Builder
		if err := Write(&b, page, style); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("%s is\n%swant\n%s", name, b.String(), want)
		}
	}
}
