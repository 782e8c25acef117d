package main

import (
	"fmt"
	"slices"

	"hearthd/llm"
	"hearthd/llm/stt"
	"hearthd/tools/intent"
)

// way is one to choose between what the two heard.
type way struct {
	name   string
	choose func(s *said) llm.Transcript
}

// ways are those that are compared; call is what a text asks for, or nothing.
func ways(call func(text string) string) []way {
	sure := func(s *said) bool { return s.local.Text != "" && !s.local.Rival && stt.Sure(s.local) }
	return []way{
		{"built-in, if sure", func(s *said) llm.Transcript {
			if sure(s) {
				return s.local
			}
			return llm.Transcript{}
		}},
		{"server", func(s *said) llm.Transcript { return s.server }},
		{"server if an intent, else built-in", func(s *said) llm.Transcript {
			if call(s.server.Text) == "" && sure(s) {
				return s.local
			}
			return s.server
		}},
		{"built-in, if sure, else server", func(s *said) llm.Transcript {
			if sure(s) {
				return s.local
			}
			return s.server
		}},
		{"as hearthd chooses", func(s *said) llm.Transcript { return stt.Choose(s.local, s.server, call) }},
		{"server where both heard a request", func(s *said) llm.Transcript {
			if here, there := call(s.local.Text), call(s.server.Text); there != "" && here != there {
				return s.server
			}
			return stt.Choose(s.local, s.server, call)
		}},
		{"built-in one only from -12 on", func(s *said) llm.Transcript {
			if s.local.Margin < -12 && s.server.Text != "" {
				return s.server
			}
			return stt.Choose(s.local, s.server, call)
		}},
	}
}

// report prints what each way makes of it: orders that are done as they were meant, and talk that does something.
// What is a guess is asked about, and counts as not done.
func report(m *intent.Matcher, all []said) {
	call := func(text string) string {
		match, ok := m.Match(text)
		if !ok {
			return ""
		}
		return fmt.Sprintf("%s %s", match.Call.Name, match.Call.Arguments)
	}
	for _, w := range ways(call) {
		right, wrong, orders, acts, talk := 0, 0, 0, 0, 0
		for i := range all {
			s := &all[i]
			var got string
			if t := w.choose(s); stt.Sure(t) && !t.Rival {
				got = call(t.Text)
			}
			switch want := call(s.text); {
			case s.kind == "talk":
				talk++
				if got != "" && got != want {
					acts++
				}
				continue
			case got == want:
				right++
			case got != "":
				wrong++
			}
			orders++
		}
		fmt.Printf("%-36s orders right %d of %d, done wrong %d; talk that acts %d of %d\n", w.name, right, orders, wrong,
			acts, talk)
	}
	pace(all)
}

// pace prints how long the two took.
func pace(all []said) {
	var l, s []int64
	var audioSeconds, serverSeconds float64
	for _, x := range all {
		l, s = append(l, x.localMS), append(s, x.serverMS)
		audioSeconds += x.seconds
		serverSeconds += float64(x.serverMS) / 1000
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(l)
	slices.Sort(s)
	fmt.Printf("after the end, ms: built-in p50 %d p90 %d, server p50 %d p90 %d; server %.2f of real time\n", l[len(l)/2],
		l[len(l)*9/10], s[len(s)/2], s[len(s)*9/10], serverSeconds/audioSeconds)
}
