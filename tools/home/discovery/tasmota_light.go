package discovery

import (
	"fmt"
	"slices"

	"hearthd/tools/home"
)

// channel is what a light of the device is and how it is dimmed.
func (t *tasmota) channel(i, n int) (subtype int, dimmer, state, suffix string) {
	subtype, dimmer, state = t.Subtype, "Dimmer", "Dimmer"
	switch {
	case t.Options["68"] == 1: // each channel is a light of its own
		subtype, dimmer = 1, fmt.Sprintf("Channel%d", i+1)
		state = dimmer
	case t.Linked == 0 && t.Subtype >= 4: // colour and white apart
		dimmer = fmt.Sprintf("Dimmer%d", n+1)
		state = dimmer
		if n == 0 {
			subtype, suffix = 3, "="
		} else {
			subtype = map[int]int{4: 1, 5: 2}[t.Subtype]
		}
	case t.Tuya == 1:
		dimmer = "Dimmer3"
	}
	return subtype, dimmer, state, suffix
}

// schemes are the effects that every light with colours has, by their number.
var schemes = []string{"None", "Wake up", "Cycle up", "Cycle down", "Random"}

// light is the n-th of the device's lights, on relay i.
func (t *tasmota) light(i, n int, name string) *entity {
	b := t.builder(home.Light, name)
	t.power(b, i)
	subtype, dimmer, state, suffix := t.channel(i, n)
	if subtype >= 1 {
		b.value(home.Brightness, []string{state}, amount, "state", "result")
		b.set(home.Brightness, t.cmnd+dimmer, asNumber(0, 100))
	}
	if subtype == 2 || subtype == 5 {
		temp := temperature{least: 153, most: 500}
		if t.Options["82"] == 1 {
			temp = temperature{least: 200, most: 380}
		}
		b.value(home.Kelvin, []string{"CT"}, func(v any) (any, bool) {
			f, ok := float(v)
			k, err := temp.read(f)
			return k, ok && err == nil
		}, "state", "result")
		b.set(home.Kelvin, t.cmnd+"CT", temp.of)
	}
	if subtype >= 3 {
		t.colours(b, suffix)
	}
	linked := t.Options["20"] == 0 // a brightness switches it on
	b.e.compose = func(want, _ home.State) ([]message, error) {
		var out []message
		for _, k := range []home.Key{home.Main, home.Brightness, home.Kelvin, home.Colour, home.Effect} {
			v, ok := want[k]
			if _, dims := want[home.Brightness]; !ok || k == home.Main && v == "on" && dims && linked {
				continue
			}
			text, err := b.e.senders[k].make(v)
			if err != nil {
				return nil, err
			}
			out = append(out, message{b.e.senders[k].topic, text})
		}
		return out, nil
	}
	return b.e
}

// colours has the colour and the effect of a light set and read.
func (t *tasmota) colours(b *builder, suffix string) {
	b.value(home.Colour, []string{"HSBColor"}, func(v any) (any, bool) {
		text, _ := v.(string)
		p, err := numbers(text)
		if err != nil || len(p) != 3 {
			return nil, false
		}
		return home.FromHS(p[0], p[1]), true
	}, "state", "result")
	b.set(home.Colour, t.cmnd+"Color2", func(v any) (any, error) {
		c, ok := v.(home.Color)
		if !ok {
			return nil, errWant
		}
		return fmt.Sprintf("%d,%d,%d%s", c.R, c.G, c.B, suffix), nil
	})
	b.e.Options[home.Effect] = schemes
	b.value(home.Effect, []string{"Scheme"}, func(v any) (any, bool) {
		f, ok := float(v)
		if !ok || f < 0 || int(f) >= len(schemes) {
			return nil, false
		}
		return schemes[int(f)], true
	}, "state", "result")
	b.set(home.Effect, t.cmnd+"Scheme", func(v any) (any, error) {
		i := slices.Index(schemes, textOf(v))
		if i < 0 {
			return nil, errWant
		}
		return i, nil
	})
}
