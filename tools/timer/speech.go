package timer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/tools"
)

// maxDetailed is how many timers are told with their time, and the others only
// counted.
const maxDetailed = 4

// Spoken is the sentence that announces the event.
func (e Event) Spoken() string {
	if e.Missed {
		return fmt.Sprintf("The %s ended while I was off.", name(e.Timer))
	}
	return fmt.Sprintf("The %s is done.", name(e.Timer))
}

// name is "pasta timer", or "ten minute timer" for one without a label.
func name(t Timer) string {
	if t.Label != "" {
		return t.Label + " timer"
	}
	length := tools.Duration(t.Length)
	return strings.NewReplacer(" and ", " ", "hours", "hour", "minutes", "minute", "seconds", "second").Replace(length) + " timer"
}

// among is the name of a timer as it is said when list is all there is.
func among(list []running, r running) string {
	if len(list) == 1 && r.Label == "" {
		return "timer"
	}
	return name(r.Timer)
}

func saidLeft(list, chosen []running) string {
	var said []string
	if len(chosen) > 1 {
		said = append(said, "You have "+tools.Count(len(chosen), "timer", "timers")+".")
	}
	for i, r := range chosen {
		if i == maxDetailed {
			said = append(said, tools.Sentence(tools.Count(len(chosen)-i, "more ends later.", "more end later.")))
			break
		}
		left := max(time.Until(r.due), time.Second)
		said = append(said, fmt.Sprintf("%s left on the %s.", tools.Sentence(tools.Duration(left)), among(list, r)))
	}
	return strings.Join(said, " ")
}

func saidNone(list []running, label string) string {
	if len(list) == 0 {
		return "You have no timers."
	}
	return fmt.Sprintf("You have no %s timer. You have %s.", cleanLabel(label), named(list))
}

func saidCancelled(list, chosen []running) string {
	switch n := len(chosen); {
	case n == 1:
		return fmt.Sprintf("The %s is cancelled.", among(list, chosen[0]))
	case n == 2 && len(list) == 2:
		return "Both timers are cancelled."
	case n == len(list):
		return fmt.Sprintf("All %s timers are cancelled.", tools.Words(n))
	case alike(chosen):
		return fmt.Sprintf("%s %ss are cancelled.", tools.Sentence(tools.Words(n)), name(chosen[0].Timer))
	}
	return fmt.Sprintf("%s are cancelled.", tools.Sentence(names(chosen)))
}

// named is "one timer: the pasta timer" or "two timers: the pasta timer and the
// ten minute timer".
func named(list []running) string {
	return tools.Count(len(list), "timer", "timers") + ": " + names(list)
}

func names(list []running) string {
	var all []string
	for _, r := range list {
		all = append(all, "the "+name(r.Timer))
	}
	return tools.Join(all)
}

// cleanLabel takes away what people say around a label: "the Pasta timer".
func cleanLabel(label string) string {
	words := strings.Fields(label)
	for len(words) > 0 && slices.Contains([]string{"the", "my", "our", "a", "an"}, strings.ToLower(words[0])) {
		words = words[1:]
	}
	for len(words) > 0 && slices.Contains([]string{"timer", "timers"}, strings.ToLower(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// key is a label as it is compared: whatever its case, hyphens and number.
func key(label string) string {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(cleanLabel(label), "-", " ")))
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return strings.Join(words, " ")
}

// match gives the timers that a label means: those named so, or else those
// whose name has all of its words. No label means all of them.
func match(list []running, label string) []running {
	want := key(label)
	if want == "" {
		return list
	}
	var same, similar []running
	for _, r := range list {
		have := key(name(r.Timer))
		if have == want {
			same = append(same, r)
		}
		if within(strings.Fields(want), strings.Fields(have)) {
			similar = append(similar, r)
		}
	}
	if len(same) > 0 {
		return same
	}
	return similar
}

func within(words, in []string) bool {
	for _, w := range words {
		if !slices.Contains(in, w) {
			return false
		}
	}
	return true
}

// alike says whether all timers have one name.
func alike(list []running) bool {
	for _, r := range list {
		if key(name(r.Timer)) != key(name(list[0].Timer)) {
			return false
		}
	}
	return true
}
