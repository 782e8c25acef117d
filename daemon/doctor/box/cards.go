package box

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hearthd/daemon/doctor"
)

// card is a sound card as the kernel knows it.
type card struct {
	number int
	id     string // as in CARD=
	name   string
	pcms   []pcm
}

// pcm is one direction of a device of a card.
type pcm struct {
	device  int
	name    string // such as HDMI 0
	capture bool
	rates   string // those that it can run at, where the kernel says so
	rate    string // that it runs at; empty: it is closed
	holders []int  // processes or threads that have it open
}

// cardLine is one of /proc/asound/cards: number, id and name.
var cardLine = regexp.MustCompile(`(?m)^\s*(\d+) \[(\S+)\s*\]: (.*)$`)

// list reads the cards (Documentation/sound/designs/procfile.rst).
func (b *Box) list() []card {
	var all []card
	for _, m := range cardLine.FindAllStringSubmatch(b.text("proc/asound/cards"), -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		c := card{number: n, id: m[2], name: m[3]}
		if _, after, ok := strings.Cut(c.name, " - "); ok {
			c.name = after
		}
		for _, dir := range b.glob(fmt.Sprintf("proc/asound/card%d/pcm*", n)) {
			if p, ok := b.pcm(dir); ok {
				c.pcms = append(c.pcms, p)
			}
		}
		all = append(all, c)
	}
	return all
}

// pcm reads a folder such as proc/asound/card0/pcm0c.
func (b *Box) pcm(dir string) (pcm, bool) {
	card, base := path.Split(dir)
	device, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(base, "pcm"), "cp"))
	if err != nil {
		return pcm{}, false
	}
	p := pcm{device: device, name: value(b.text(dir, "info"), "name"), capture: strings.HasSuffix(base, "c")}
	for _, at := range b.glob(dir + "/sub*") {
		if rate := value(b.text(at, "hw_params"), "rate"); rate != "" {
			p.rate = first(rate)
		}
		if pid, err := strconv.Atoi(value(b.text(at, "status"), "owner_pid")); err == nil {
			p.holders = append(p.holders, pid)
		}
	}
	// USB audio lists its rates, in a section for each direction.
	section := "Playback:"
	if p.capture {
		section = "Capture:"
	}
	if _, text, ok := strings.Cut(b.text(card, fmt.Sprintf("stream%d", device)), section); ok {
		p.rates = value(text, "Rates")
	}
	return p, true
}

// value is that of the first line "key : value" of text.
func value(text, key string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// cards checks whether the cards that the configuration names are there.
func (b *Box) cards(context.Context) doctor.Finding {
	all := b.list()
	if len(all) == 0 {
		f := doctor.New(doctor.Cards, doctor.Fail, "the kernel knows no sound card").With("cards", 0).
			Mend("plug one in; on a Raspberry Pi see dtparam=audio=on and dtoverlay in " +
				"/boot/firmware/config.txt; then: aplay -l")
		f.Late = true
		return f
	}
	for _, want := range []struct {
		key, name string
		capture   bool
	}{{"audio.capture", b.opt.Capture, true}, {"audio.playback", b.opt.Playback, false}} {
		named := cardOf(want.name)
		there := false
		for _, c := range all {
			if (named == "" || named == c.id || named == strconv.Itoa(c.number)) && c.has(want.capture) {
				there = true
			}
		}
		if there {
			continue
		}
		f := doctor.New(doctor.Cards, doctor.Fail, "no card can %s; there is %s", verb(want.capture), describe(all)).
			With("cards", float64(len(all))).
			Mend("plug in a microphone or a speaker; then: arecord -l; aplay -l")
		if named != "" {
			f = doctor.New(doctor.Cards, doctor.Fail,
				"%s names the card %s, which is not there or cannot %s; there is %s",
				want.key, named, verb(want.capture), describe(all)).With("cards", float64(len(all))).
				Mend("set in /etc/hearthd/conf.d/audio.yaml: %s", suggestion(all, want.key, want.capture))
		}
		return f
	}
	return doctor.New(doctor.Cards, doctor.OK, "%s", describe(all)).With("cards", float64(len(all)))
}

// cardOf is the card that an ALSA name means; empty: the system's choice.
func cardOf(name string) string {
	kind, rest, _ := strings.Cut(name, ":")
	if kind == "default" && rest == "" || rest == "" {
		return ""
	}
	for part := range strings.SplitSeq(rest, ",") {
		if id, ok := strings.CutPrefix(part, "CARD="); ok {
			return id
		}
	}
	first, _, _ := strings.Cut(rest, ",")
	if strings.Contains(first, "=") {
		return ""
	}
	return first
}

func (c card) has(capture bool) bool {
	return slices.ContainsFunc(c.pcms, func(p pcm) bool { return p.capture == capture })
}

func verb(capture bool) string {
	if capture {
		return "record"
	}
	return "play"
}

// describe lists the cards, what they can do and at which rates they run.
func describe(all []card) string {
	var texts []string
	for _, c := range all {
		var can []string
		for _, capture := range []bool{true, false} {
			for _, p := range c.pcms {
				if p.capture != capture {
					continue
				}
				text := verb(capture) + "s"
				switch {
				case p.rate != "":
					text += " at " + p.rate + " Hz"
				case p.rates != "":
					text += " at " + p.rates + " Hz if asked"
				}
				can = append(can, text)
				break // the first device is the one that people mean
			}
		}
		if len(can) == 0 {
			can = []string{"has no sound device"}
		}
		texts = append(texts, fmt.Sprintf("%s (%s) %s", c.id, c.name, strings.Join(can, ", ")))
	}
	return strings.Join(texts, "; ")
}

// Device is a device of ALSA: its ALSA name, and its name for a person.
type Device struct{ Name, Text string }

// Devices are those that record, or those that play.
func (b *Box) Devices(capture bool) []Device { return devices(b.list(), capture) }

func devices(all []card, capture bool) (list []Device) {
	for _, c := range all {
		for _, p := range c.pcms {
			if p.capture == capture {
				name := fmt.Sprintf("plughw:CARD=%s,DEV=%d", c.id, p.device)
				list = append(list, Device{name, c.id + ": " + cmp.Or(p.name, c.name)})
			}
		}
	}
	return list
}

// suggestion is a line of configuration with a device that is there.
func suggestion(all []card, key string, capture bool) string {
	list := devices(all, capture)
	if len(list) == 0 {
		return key + ": default"
	}
	section, name, _ := strings.Cut(key, ".")
	return fmt.Sprintf("%s: {%s: %q}", section, name, list[0].Name)
}
