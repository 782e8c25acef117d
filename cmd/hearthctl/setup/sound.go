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
	in := question{flag: "microphone", text: "Microphone", usual: w.now.Audio.Capture,
		key: "audio.capture", remark: "The microphone; arecord -L lists them."}
	out := question{flag: "speaker", text: "Speaker", usual: w.now.Audio.Playback,
		key: "audio.playback", remark: "The speaker; aplay -L lists them."}
	for _, c := range cards {
		if c.capture {
			in.list = append(in.list, option{c.name, c.text})
		}
		if c.playback {
			out.list = append(out.list, option{c.name, c.text})
		}
	}
	for _, q := range []question{in, out} {
		if q.usual == "default" && len(q.list) > 0 && !w.yes {
			q.usual = q.list[0].value // the first real card
		}
		q.list = append(q.list, option{"default", "what ALSA takes by itself"})
		if err := w.put(q); err != nil {
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
	err = m.Listen(mctx, w.c, func(r mic.Reading) { d.Show(r.Meter) })
	return m, err
}
