package setup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/doctor"
	"hearthd/cmd/hearthctl/mic"
	"hearthd/daemon/doctor/box"
)

// sound asks for microphone and speaker.
func (w *wizard) sound(context.Context) error {
	w.guide("\nMicrophone and speaker\n")
	if !w.cards() && (w.now.Audio.Playback != doctor.NoSpeaker || w.now.Wake.Engine != "off") {
		w.say("The kernel knows no sound card. Plug one in, or go on: hearthd waits for it and answers text. On a " +
			"machine that\nstays without, choose null as speaker, and off as wake: then nothing is missed.\n")
	}
	return w.pick()
}

// box is the machine, as the kernel describes it.
func (w *wizard) box() *box.Box { return box.New(box.Options{Root: w.root}) }

// cards says whether the kernel knows any.
func (w *wizard) cards() bool { return len(w.box().Devices(true))+len(w.box().Devices(false)) > 0 }

// soundless says whether the machine is one that makes no sound, and cannot hear any.
func (w *wizard) soundless() bool { return w.last("audio.playback") == doctor.NoSpeaker && !w.cards() }

// pick asks which of the devices are used.
func (w *wizard) pick() error {
	for _, q := range []question{
		{flag: "microphone", text: "Microphone", usual: w.now.Audio.Capture,
			key: "audio.capture", remark: "The microphone; arecord -L lists them."},
		{flag: "speaker", text: "Speaker", usual: w.now.Audio.Playback,
			key: "audio.playback", remark: "The speaker; aplay -L lists them."},
	} {
		for _, d := range w.box().Devices(q.flag == "microphone") {
			q.list = append(q.list, option{d.Name, d.Text})
		}
		if q.usual == "default" && len(q.list) > 0 && !w.yes {
			q.usual = q.list[0].value // the first real card
		}
		q.list = append(q.list, option{"default", "what ALSA takes by itself"})
		if q.flag == "speaker" {
			q.list = append(q.list, option{doctor.NoSpeaker, "none: this machine makes no sound"})
		}
		err := w.until(q, func(a string) error {
			if err := w.device(&q, a); err != nil {
				return err
			}
			return w.set(q.key, a, q.remark)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// device refuses a name that nobody knows, unless somebody insists: ALSA reaches more than the kernel's cards, but a
// slip of the keys would leave the box deaf or silent.
func (w *wizard) device(q *question, name string) error {
	if name == w.now.Audio.Capture || name == w.now.Audio.Playback ||
		slices.ContainsFunc(q.list, func(o option) bool { return o.value == name }) {
		return nil
	}
	_, lists, _ := strings.Cut(q.remark, "; ")
	w.say("This box has no %s called %s, as far as its kernel knows; %s\n", strings.ToLower(q.text), ctl.Visible(name),
		lists)
	if w.yes {
		w.say("It is taken all the same.\n")
		return nil
	}
	if sure, err := w.agree("Take it all the same?", false); err != nil || sure {
		return err
	}
	return errors.New("not taken")
}

// heardFor is how long the microphone is tried, unless --listen says otherwise.
const heardFor = 6 * time.Second

// listen tries microphone and speaker with the person, and lets them choose others, if there are any.
func (w *wizard) listen(ctx context.Context) error {
	for !w.yes && w.cards() {
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
		if err := w.pick(); err != nil {
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

// last is what a key was set to, or what it is where that was not asked.
func (w *wizard) last(key string) string {
	for i := len(w.entries) - 1; i >= 0; i-- {
		if w.entries[i].Key == key {
			return w.entries[i].Value
		}
	}
	return strings.Trim(w.now.Value(key), `"`)
}

// hear shows the level while somebody speaks.
func (w *wizard) hear(ctx context.Context) (*mic.Test, error) {
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
