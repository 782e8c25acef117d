package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/mic"
)

// maxCards bounds what is listed, maxProc a file of /proc, in bytes.
const (
	maxCards = 32
	maxProc  = 64 << 10
)

// soundCard is a device of ALSA.
type soundCard struct {
	name              string // as audio.capture takes it
	text              string
	capture, playback bool
}

// soundCards are those that the kernel has, from /proc/asound. root is before it.
func soundCards(root string) []soundCard {
	text, err := os.ReadFile(filepath.Join(root, "proc/asound/pcm"))
	if err != nil {
		return nil // there is no sound at all
	}
	// "00-03: HDMI 0 : HDMI 0 : playback 1 : capture 1"
	line := regexp.MustCompile(`^(\d\d)-(\d\d): ([^:]*) : ([^:]*) : (.*)$`)
	var list []soundCard
	for row := range strings.Lines(string(text[:min(len(text), maxProc)])) {
		m := line.FindStringSubmatch(strings.TrimSpace(row))
		if m == nil || len(list) == maxCards {
			continue
		}
		id, err := os.ReadFile(filepath.Join(root, "proc/asound", "card"+strings.TrimPrefix(m[1], "0"), "id"))
		if err != nil {
			continue
		}
		card := strings.TrimSpace(string(id[:min(len(id), 64)]))
		device := strings.TrimPrefix(m[2], "0")
		list = append(list, soundCard{
			name: fmt.Sprintf("plughw:CARD=%s,DEV=%s", card, device), text: fmt.Sprintf("%s: %s", card, m[4]),
			capture: strings.Contains(m[5], "capture"), playback: strings.Contains(m[5], "playback"),
		})
	}
	return list
}

// sound asks for microphone and speaker.
func (w *walk) sound(context.Context) error {
	w.say("\nMicrophone and speaker\n")
	cards := soundCards(w.root)
	if len(cards) == 0 {
		w.say("The kernel knows no sound card. Plug one in, or go on: hearthd waits for it and answers text.\n")
	}
	return w.pick(cards)
}

// pick asks which of the cards are used.
func (w *walk) pick(cards []soundCard) error {
	var in, out []option
	for _, c := range cards {
		o := option{c.name, c.name + "  " + c.text}
		if c.capture {
			in = append(in, o)
		}
		if c.playback {
			out = append(out, o)
		}
	}
	in = append(in, option{"default", "default  what ALSA takes by itself"})
	out = append(out, option{"default", "default  what ALSA takes by itself"})
	for _, q := range []struct {
		flag, key, question, now, remark string
		list                             []option
	}{
		{"microphone", "audio.capture", "Microphone", w.now.Audio.Capture, "The microphone; arecord -L lists them.", in},
		{"speaker", "audio.playback", "Speaker", w.now.Audio.Playback, "The speaker; aplay -L lists them.", out},
	} {
		usual := q.now
		if usual == "default" && len(q.list) > 1 {
			usual = q.list[0].value // the first real card
		}
		if w.yes {
			usual = q.now
		}
		err := w.until(func() (string, error) { return w.choose(q.flag, q.question, q.list, usual) },
			func(a string) error { return w.set(q.key, a, q.remark) })
		if err != nil {
			return err
		}
	}
	return nil
}

// heardFor is how long the microphone is tried, unless --listen says otherwise.
const heardFor = 6 * time.Second

// listen tries microphone and speaker with the person, and lets them choose others.
func (w *walk) listen(ctx context.Context) error {
	for !w.yes {
		m, err := w.hear(ctx)
		if err != nil {
			return err
		}
		w.say("\n")
		m.Show(w.out)
		if err := w.c.Say(ctx, "Hello. This is the speaker of this room."); err != nil {
			w.say("The speaker: %v\n", err)
		}
		ok, err := w.agree("Was the microphone heard, and did you hear the speaker?", true)
		if err != nil || ok {
			return err
		}
		w.now.Audio.Capture, w.now.Audio.Playback = w.last("audio.capture"), w.last("audio.playback")
		delete(w.given, "microphone")
		delete(w.given, "speaker")
		if err := w.pick(soundCards(w.root)); err != nil {
			return err
		}
		if err := w.write(false); err != nil {
			return err
		}
		if err := w.restart(); err != nil {
			return err
		}
	}
	return nil
}

// last is what a key was set to.
func (w *walk) last(key string) string {
	for i := len(w.entries) - 1; i >= 0; i-- {
		if w.entries[i].Key == key {
			return w.entries[i].Value
		}
	}
	return ""
}

// hear shows the level while somebody speaks.
func (w *walk) hear(ctx context.Context) (*mic.Test, error) {
	m, err := mic.State(ctx, w.c)
	if err != nil || m.Muted || m.Trouble != "" {
		return m, err
	}
	w.say("\nSay something, as loud as usual, from where you usually stand.\n")
	mctx, cancel := context.WithTimeout(ctx, w.listens)
	defer cancel()
	d := mic.NewDisplay(w.out)
	defer d.End()
	for r, err := range mic.Readings(mctx, w.c) {
		if err != nil {
			return nil, err
		}
		m.Add(&r.Meter)
		d.Show(r.Meter)
	}
	return m, nil
}
