package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearthd/daemon/doctor"
	"hearthd/daemon/health"
)

// Limits of the checks. A model that has to be loaded takes up to 100 s on a small box.
const (
	quickLimit   = 20 * time.Second
	speechLimit  = 45 * time.Second
	thinkerLimit = 150 * time.Second
)

// checks are all the checks of the examination.
func (p *patient) checks() []doctor.Check {
	list := append(p.box().Checks(), doctor.Check{Name: doctor.Configuration, Limit: quickLimit,
		Run: func(context.Context) []doctor.Finding { return p.configuration() }})
	for _, c := range []struct {
		name, check string
		limit       time.Duration
		heavy       bool
	}{
		{doctor.Disk, "store", quickLimit, false}, {doctor.Secrets, "secrets", quickLimit, false},
		{doctor.Broker, "broker", quickLimit, false}, {doctor.Cloud, "cloud", quickLimit, false},
		{doctor.Calendar, "calendar", quickLimit, false},
		{doctor.Wake, "wake", quickLimit, false}, {doctor.Files, "files", quickLimit, false},
		{doctor.Microphone, "", soundLimit, true},
		{doctor.Voice, "speech", speechLimit, true}, {doctor.Thinker, "thinker", thinkerLimit, true},
	} {
		run := func(ctx context.Context) []doctor.Finding { return p.probe(ctx, c.name, c.check) }
		if c.check == "" {
			run = p.sound
		}
		list = append(list, doctor.Check{Name: c.name, Limit: c.limit, Heavy: c.heavy, Run: run})
	}
	return list
}

// together makes one finding of those about one check that all went well. A disk that is not well is told of once, by
// the first, which knows why.
func together(list []doctor.Finding) []doctor.Finding {
	var out []doctor.Finding
	for _, f := range list {
		i := slices.IndexFunc(out, func(o doctor.Finding) bool {
			known := f.Check == doctor.Disk && (o.Verdict == doctor.Fail || o.Verdict == doctor.Warn && f.Verdict == doctor.OK)
			return o.Check == f.Check && (known || o.Verdict == doctor.OK && f.Verdict == doctor.OK)
		})
		if i >= 0 && out[i].Verdict != doctor.OK {
			continue
		}
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Text += "; " + f.Text
		for name, n := range f.Numbers {
			out[i] = out[i].With(name, n)
		}
		out[i].TookMS = max(out[i].TookMS, f.TookMS)
	}
	return out
}

// configuration reports mistakes in the files, also in those that a daemon has refused.
func (p *patient) configuration() []doctor.Finding {
	switch n := len(p.problems); {
	case n > 0:
		f := doctor.New(doctor.Configuration, doctor.Fail, "%s", p.problems[0]).With("mistakes", float64(n))
		if n > 1 {
			f.Text += fmt.Sprintf(" (and %d more mistakes)", n-1)
		}
		if p.running {
			f.Text += "; hearthd goes on with what held before"
		}
		return []doctor.Finding{f.Mend("%s; hearthd check-config names all; then: systemctl restart hearthd",
			editor(p.problems[0]))}
	case len(p.restart) > 0:
		return []doctor.Finding{doctor.New(doctor.Configuration, doctor.Warn, "changed, and waits for a restart: %s",
			strings.Join(p.restart, ", ")).Mend("systemctl restart hearthd")}
	case p.settings == nil:
		return nil // it was reported already
	}
	return []doctor.Finding{doctor.New(doctor.Configuration, doctor.OK, "%s",
		cmp.Or(p.file, "no file: everything is as it is built in"))}
}

// editor says how to open the file of a mistake, which begins with FILE:LINE. sudoedit knows no lines.
func editor(problem string) string {
	parts := strings.SplitN(problem, ":", 3)
	if len(parts) == 3 && strings.HasPrefix(parts[0], "/") && strings.Trim(parts[1], "0123456789") == "" {
		return "sudoedit " + parts[0]
	}
	return "sudoedit /etc/hearthd/hearthd.yaml"
}

// subjects maps conditions of the daemon to the checks they belong to; all others belong to
// doctor.Condition.
var subjects = map[string]string{
	"microphone": doctor.Microphone, "microphone_silent": doctor.Microphone, "microphone_clipping": doctor.Microphone,
	"microphone_late": doctor.Microphone, "speaker": doctor.Speaker, "recogniser": doctor.Recogniser,
	"voice": doctor.Voice, "wake": doctor.Wake, "wake_server": doctor.Wake, "detector": doctor.Wake,
	"thinker": doctor.Thinker, "broker": doctor.Broker, "responder": doctor.Cloud, "budget": doctor.Cloud,
	"memory": doctor.Disk, "disk": doctor.Disk, "tools": doctor.Files, "intents": doctor.Files,
	"thinkers": doctor.Files, "knowledge": doctor.Files, "secrets": doctor.Secrets, "clock": doctor.Clock,
	"configuration": doctor.Configuration, "restart": doctor.Configuration,
}

// cure is the advice for a condition that no check has explained.
func (p *patient) cure(code string) string {
	switch code {
	case "broker":
		return "hearthctl config set mqtt.broker mqtt://HOST, or mqtt.listen HOST:PORT, as it says; systemctl restart hearthd"
	case "memory", "disk":
		return fmt.Sprintf("df -h %s; ls -l %s; systemctl restart hearthd", p.stateDir, p.stateDir)
	case "homeassistant":
		return "tools.home.url in /etc/hearthd/hearthd.yaml, and the token it names (Home Assistant makes one under " +
			"your profile, Security); systemctl restart hearthd"
	case "budget":
		return "hearthctl cost; responder.daily and responder.monthly in /etc/hearthd/hearthd.yaml"
	case "restart":
		return "systemctl restart hearthd"
	case "console":
		return "ss -ltnp names who listens there; console.listen in /etc/hearthd/hearthd.yaml; systemctl restart hearthd"
	}
	return "journalctl -u hearthd -x HEARTHD_COMPONENT=" + code
}

// settle combines what the checks found with what the daemon itself reports.
func (p *patient) settle(list []doctor.Finding) []doctor.Finding {
	p.settleSound(list)
	if p.denied { // the rights of who looks come first, in one line
		list = slices.DeleteFunc(list, func(f doctor.Finding) bool {
			return f.Check == doctor.Permissions && f.Verdict == doctor.OK
		})
	}
	for _, c := range p.status.Conditions {
		about := cmp.Or(subjects[c.Code], doctor.Condition)
		if has(list, about, doctor.Fail) || has(list, about, doctor.Warn) {
			continue // a check found it, and has the advice
		}
		v := doctor.Warn
		if c.Severity == health.Error {
			v = doctor.Fail
		}
		text := fmt.Sprintf("%s (since %s)", strings.TrimSuffix(c.Text, "."),
			c.Since.Local().Format("2 January, 15:04"))
		// Of one thing it is not said that it is broken and well, or left out: the check may have met another broker on
		// that port.
		if about != doctor.Condition {
			if v == doctor.Warn && has(list, about, doctor.OK) {
				text += "; it was well when it was tried now"
			}
			list = slices.DeleteFunc(list, func(f doctor.Finding) bool { return f.Check == about })
		}
		list = append(list, doctor.New(about, v, "%s", text).Mend("%s", p.cure(c.Code)))
	}
	return together(p.cardless(list))
}

// cardless tells of a box without any sound card once, and not of its microphone and its speaker as well, unless those
// are something else than cards.
func (p *patient) cardless(list []doctor.Finding) []doctor.Finding {
	i := slices.IndexFunc(list, func(f doctor.Finding) bool {
		n, counted := f.Numbers["cards"]
		return f.Check == doctor.Cards && f.Verdict == doctor.Fail && counted && n == 0
	})
	if i < 0 {
		return list
	}
	list[i] = list[i].Mend("%s", list[i].Fix+"; or for good without: hearthctl config set audio.playback null; "+
		"hearthctl config set wake.engine off; systemctl restart hearthd")
	isCard := func(key string) bool {
		return p.settings[key] == "default" || strings.Contains(p.settings[key], "CARD=")
	}
	return slices.DeleteFunc(list, func(f doctor.Finding) bool {
		return f.Verdict == doctor.Fail && (f.Check == doctor.Microphone && isCard("audio.capture") ||
			f.Check == doctor.Speaker && isCard("audio.playback"))
	})
}

// NoSpeaker is the speaker of a box that makes no sound: ALSA's null.
const NoSpeaker = "null"

// silent reports whether the box is meant to be one without sound.
func (p *patient) silent() bool { return p.closed() && p.settings["audio.playback"] == NoSpeaker }

// closed reports whether the box has no use for a microphone.
func (p *patient) closed() bool { return p.settings["wake.engine"] == "off" }

func has(list []doctor.Finding, check string, v doctor.Verdict) bool {
	return slices.ContainsFunc(list, func(f doctor.Finding) bool { return f.Check == check && f.Verdict == v })
}

// settleSound judges the findings about the cards by whether hearthd can use them.
func (p *patient) settleSound(list []doctor.Finding) {
	deaf, mute := has(list, doctor.Microphone, doctor.Fail), has(list, doctor.Speaker, doctor.Fail)
	works := !mute && (p.running && p.status.Muted && !deaf ||
		slices.ContainsFunc(list, func(f doctor.Finding) bool {
			return f.Check == doctor.Microphone && len(f.Numbers) > 0
		}))
	for i := range list {
		switch f := &list[i]; {
		// Another program that has the card is to blame only if the card cannot be used.
		case f.Check == doctor.Holders && f.Verdict == doctor.Warn && (deaf || mute):
			f.Verdict = doctor.Fail
		case f.Check != doctor.Cards || f.Verdict != doctor.Fail:
		case p.silent():
			*f = doctor.New(doctor.Cards, doctor.Skip, "not wanted: wake.engine is off, and audio.playback is null")
		// ALSA reaches more than the kernel's cards: a sound server, a network.
		case works:
			*f = doctor.New(doctor.Cards, doctor.OK, "%s; what ALSA calls %s works all the same", f.Text,
				p.settings["audio.capture"])
		case f.Late && p.denied:
			f.Verdict = doctor.Warn // hearthd may have sound in another way
		}
	}
}
