package intent_test

import (
	"log/slog"
	"math"
	"os"
	"strings"
	"testing"

	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

// thirty are the names of a house of thirty devices.
const thirty = `kitchen light, bedroom lamp, coffee machine, living room lights, desk lamp, hallway light, reading lamp, floor lamp, garage door, living room blinds,
bedroom curtains, kitchen blinds, front door, back door, robot vacuum, freezer temperature, thermostat, porch light, bathroom light, bathroom heater,
dining room light, ceiling fan, washing machine, dishwasher, television, garden lights, office light, nursery light, movie night, water pump`

// BenchmarkDeviceNames is what the names of thirty devices cost the embedded
// recogniser: the share of commands and of home sentences whose call is exact, and
// of chatter that was taken for a request, with and without the names. It takes
// every second sentence, or all of them with HEARTHD_TEST_FULL=1.
func BenchmarkDeviceNames(b *testing.B) {
	step := 2
	if os.Getenv("HEARTHD_TEST_FULL") != "" {
		step = 1
	}
	for _, names := range []string{"", thirty} {
		name := "none"
		if names != "" {
			name = "thirty"
		}
		b.Run(name, func(b *testing.B) {
			m, e := openWith(b, names)
			for b.Loop() {
				exact(b, m, e, "commands", step)
				if names != "" {
					exact(b, m, e, "home", 1)
				}
				taken := 0
				chatter := corpus(b, "chatter.txt", step)
				for _, text := range chatter {
					if call, awake := heard(b, m, e, level(synthesise(b, "flite/slt", text), loudness, math.Inf(1))); call != "" || awake {
						taken++
						b.Logf("%q: got %q", text, call)
					}
				}
				b.ReportMetric(100*float64(taken)/float64(len(chatter)), "%chatter-taken")
			}
		})
	}
}

// exact reports the share of a file's sentences that are heard as their text is
// understood, in the demo's voice and behind the wake phrase.
func exact(b *testing.B, m *intent.Matcher, e *stt.Pocketsphinx, file string, step int) {
	texts, right := corpus(b, file+".txt", step), 0
	for _, text := range texts {
		call, awake := heard(b, m, e, level(synthesise(b, "flite/slt", "hey hearth, "+text), loudness, math.Inf(1)))
		if call == callOf(m, text) && awake {
			right++
		} else {
			b.Logf("%q: got %q", text, call)
		}
	}
	b.ReportMetric(100*float64(right)/float64(len(texts)), "%"+file+"-exact")
}

// openWith is open with the names of devices, a comma between them.
func openWith(t testing.TB, names string) (*intent.Matcher, *stt.Pocketsphinx) {
	t.Helper()
	m, err := intent.New(intent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var list []intent.Name
	for n := range strings.SplitSeq(names, ",") {
		if n = strings.TrimSpace(n); n != "" {
			list = append(list, intent.Name{Value: n})
		}
	}
	m.SetNames("device", list)
	g := m.Grammar()
	e, err := stt.NewPocketsphinx(stt.PocketsphinxOptions{Grammar: g.JSGF, Words: g.Words, Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return m, e
}
