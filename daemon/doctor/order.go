package doctor

import (
	"cmp"
	"slices"
)

// The checks, by the names that findings carry.
const (
	Configuration = "configuration"
	Permissions   = "permissions"
	Disk          = "disk"
	Secrets       = "secrets"
	Holders       = "card use"
	Cards         = "sound cards"
	Microphone    = "microphone"
	Speaker       = "speaker"
	Echo          = "echo"
	Voice         = "voice"
	Recogniser    = "recogniser"
	Wake          = "wake words"
	Broker        = "broker"
	Thinker       = "thinker"
	Cloud         = "cloud"
	Calendar      = "calendar"
	Files         = "files" // tools, thinkers, sentences of the household
	Memory        = "memory"
	Condition     = "condition" // a condition of the daemon that no other check explains
	Clock         = "clock"
	Service       = "service"
	Wear          = "wear"
	Temperature   = "temperature"
	Hardening     = "hardening"
)

// causal is the order of causes: each can be the reason for those after it. The service comes late
// because what keeps it from starting is the cause, and the clock because a box without a network
// has no other time.
var causal = [...]string{
	Configuration, Permissions, Disk, Secrets, Holders, Cards, Microphone, Speaker, Echo, Voice, Recogniser,
	Wake, Broker, Cloud, Calendar, Files, Thinker, Memory, Condition, Clock, Service, Temperature, Wear, Hardening,
}

// causes are, for each check, those whose failure is the likely reason for its own.
var causes = map[string][]string{
	Service:    {Configuration, Permissions, Disk, Secrets},
	Cards:      {Holders},
	Microphone: {Holders, Cards},
	Speaker:    {Holders, Cards},
	Echo:       {Holders, Cards, Microphone, Speaker},
	Broker:     {Secrets, Clock},
	Cloud:      {Secrets, Clock},
	Calendar:   {Secrets, Clock},
	Disk:       {Permissions},
	Condition:  {Permissions, Disk, Secrets, Clock},
}

// Order puts the likely root cause first. Failures come before warnings, then what is well, then what
// was not looked at. Among failures those come first that none of the others explains, and then the
// order of causes decides. Order also sets which failure explains another one.
func Order(list []Finding) {
	for i := range list {
		f := &list[i]
		if f.Verdict != Fail || f.Root {
			continue
		}
		for _, c := range list {
			if c.Verdict == Fail && (c.Root || rank(c.Check) < rank(f.Check)) &&
				slices.Contains(causes[f.Check], c.Check) {
				f.Because = c.Check
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(class(a), class(b)), cmp.Compare(place(a), place(b)))
	})
}

// class is the group in which a finding is listed.
func class(f Finding) int {
	switch f.Verdict {
	case Fail:
		switch {
		case f.Root:
			return 0
		case f.Because == "":
			return 1
		}
		return 2
	case Warn:
		return 3
	case OK:
		return 4
	}
	return 5
}

// place is the position of a finding within its group.
func place(f Finding) int {
	if f.Late && f.Verdict != OK {
		return len(causal)
	}
	return rank(f.Check)
}

func rank(check string) int {
	if i := slices.Index(causal[:], check); i >= 0 {
		return i
	}
	return len(causal)
}
