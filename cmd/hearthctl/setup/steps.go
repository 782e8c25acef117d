package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/wake"
	"hearthd/config"
	"hearthd/config/files"
	"hearthd/daemon/mqtt/contract"
	"hearthd/language"
	"hearthd/tools/fetch"
	"hearthd/tools/weather"
)

// room asks for name, place, language and units.
func (w *wizard) room(ctx context.Context) error {
	w.guide("\nThe room\n")
	name := cmp.Or(w.now.MQTT.Area, w.now.Node)
	if name == "" && !w.yes {
		name = "kitchen"
	}
	q := question{flag: "room", text: "Name of the room", usual: name, key: "mqtt.area", optional: true,
		remark: "What this box is called, on MQTT, in Home Assistant and by other boxes of the house."}
	err := w.until(q, func(a string) error {
		node := contract.Node(strings.ToLower(a))
		if a == w.now.MQTT.Area { // the second box there has another name than the room
			node = cmp.Or(w.now.Node, node)
		}
		return errors.Join(w.set("node", node, "Name of this box on MQTT and in the log."),
			w.set("mqtt.area", a, "The room that Home Assistant is told."))
	})
	if err != nil {
		return err
	}
	if err := w.place(ctx); err != nil {
		return err
	}
	if err := w.timezone(ctx); err != nil {
		return err
	}
	if err := w.language(); err != nil {
		return err
	}
	return w.put(question{flag: "units", text: "Units, metric or imperial", usual: w.now.Memory.Units,
		key: "memory.units", remark: "metric or imperial.", optional: true})
}

// lookLimit is how long the service that knows places is waited for.
const lookLimit = 5 * time.Second

// place asks for the town, and says which one is taken.
func (w *wizard) place(ctx context.Context) error {
	q := question{flag: "place", text: "Town, for the weather (empty: it is not known)", usual: w.now.Memory.Place,
		key: "memory.place", remark: "Where the house is.", optional: true}
	was := q.usual
	return w.until(q, func(a string) error {
		if a != was && !w.yes && w.now.Tools.Weather.URL != "" {
			if err := w.locate(ctx, a); err != nil {
				return err
			}
		}
		return w.set(q.key, a, q.remark)
	})
}

// locate tells which place a name is taken for. One that is not known is refused, unless somebody insists.
func (w *wizard) locate(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	full, err := weather.Locate(ctx, fetch.New(fetch.Options{UserAgent: "hearthd/" + w.c.Version}),
		w.now.Tools.Weather.Geocoding, name)
	switch {
	case errors.Is(err, weather.ErrNoPlace):
		w.say("The weather service knows no place called %s.\n", ctl.Visible(name))
		if sure, err := w.agree("Take it all the same?", false); err != nil || sure {
			return err
		}
		return errors.New("not taken")
	case err != nil:
		w.say("Whether there is a place of that name cannot be looked up now (%v); it is taken as it is.\n", err)
	default:
		w.say("That is %s.\n", full)
	}
	return nil
}

// zoneRemark stands beside tools.timezone.
const zoneRemark = "By which alarms ring; empty: that of this machine."

// timezone asks by which time alarms ring: a fresh image is in UTC, wherever it stands. The zone is the machine's, so
// that all its clocks agree; only where that cannot be set it is hearthd's alone.
func (w *wizard) timezone(ctx context.Context) error {
	of := w.box().Zone()
	q := question{flag: "timezone", key: "tools.timezone", remark: zoneRemark, usual: cmp.Or(w.now.Tools.Timezone, of),
		text: "Time zone, such as Europe/Vienna (on this machine it is " + time.Now().Format("15:04") + ")"}
	return w.until(q, func(a string) error {
		_, err := time.LoadLocation(a)
		switch {
		case a == of:
			w.zone, a = "", ""
		case err == nil && a != q.usual && w.c.Service(ctx, w.file):
			w.zone, a = a, ""
		}
		return w.set("tools.timezone", a, zoneRemark)
	})
}

// language asks for a language for which there are sentences.
func (w *wizard) language() error {
	q := question{flag: "language", text: "Language (built in: " + strings.Join(language.Names(), ", ") + ")",
		usual: w.now.Tools.Intents.Language, key: "tools.intents.language", optional: true,
		remark: "What is understood, and what is answered in. Typed, each works at once; to hear or speak another one " +
			"than en\ntakes another recogniser and voice, which this asks for later."}
	if err := w.until(q, func(a string) error {
		return w.set(q.key, a, "Language of the sentences that need no model.")
	}); err != nil {
		return err
	}
	return w.set("stt.language", w.last(q.key), "Language that the recogniser is told.")
}

// engines asks for recogniser and voice.
func (w *wizard) engines(context.Context) error {
	w.guide("\nEngines\n")
	for _, e := range []struct {
		question
		server, at string            // key and value of a server's address
		programs   map[string]string // and the Debian packages that contain them
	}{
		{question{flag: "recogniser", usual: w.now.STT.Engine, key: "stt.engine",
			remark: "What turns speech into text.",
			text: "Speech to text: pocketsphinx (English, and only what has a built-in sentence), or HOST:PORT of a " +
				"Wyoming server (such as faster-whisper)"},
			"stt.wyoming.address", w.now.STT.Wyoming.Address,
			map[string]string{"pocketsphinx": "pocketsphinx_batch pocketsphinx pocketsphinx-en-us"}},
		{question{flag: "voice", usual: w.now.TTS.Engine, key: "tts.engine", remark: "What speaks.",
			text: "Text to speech: flite, espeak-ng, or HOST:PORT of a Wyoming server (such as piper)"},
			"tts.wyoming.address", w.now.TTS.Wyoming.Address,
			map[string]string{"flite": "flite flite", "espeak-ng": "espeak-ng espeak-ng"}},
	} {
		if e.usual == "wyoming" {
			e.usual = e.at
		}
		err := w.until(e.question, func(a string) error {
			if strings.Contains(a, ":") {
				return errors.Join(w.set(e.server, a, "A Wyoming server."), w.set(e.key, "wyoming", e.remark))
			}
			if program, packages, ok := strings.Cut(e.programs[a], " "); ok {
				if _, err := exec.LookPath(program); err != nil {
					w.say("It is not installed: apt install %s\n", packages)
				}
			}
			if err := w.set(e.key, a, e.remark); err != nil {
				return fmt.Errorf("%w; modern engines, such as piper and whisper, are installed with --speech yes or "+
					"hearthctl speech install, or named by the HOST:PORT of their server", err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// speech asks whether modern engines shall be installed on this box when everything else is done. Who has
// them on another machine is not asked.
func (w *wizard) speech(context.Context) error {
	usual := "no"
	if w.last("stt.engine") != "pocketsphinx" && w.given["speech"] == "" {
		return nil
	}
	if !w.yes {
		if !w.soundless() {
			usual = "yes"
		}
		w.say("Modern speech runs on this box too, from a Raspberry Pi 3 on: hearthctl speech install fetches models " +
			"of 30 to\n250 MB, measures them here and takes the best. It can be undone.\n")
	}
	q := question{flag: "speech", text: "Install it when this is done, yes or no", usual: usual,
		remark: "With it any sentence is heard, in the language that you chose; without it those that are built in."}
	return w.until(q, func(a string) error {
		var err error
		if w.modern, err = affirmed(a); err == nil && !w.modern {
			w.english()
		}
		return err
	})
}

// english says which of the engines that come with the package do not know the language that was chosen.
func (w *wizard) english() {
	l := w.last("tools.intents.language")
	if l == "en" {
		return
	}
	w.say("pocketsphinx hears only English: until sudo hearthctl speech install has been run, %q can only be typed.\n", l)
	if w.last("tts.engine") == "flite" {
		w.say("flite speaks with an English voice only.\n")
	}
}

// install runs hearthctl speech install, which asks and tells by itself. That it failed is no reason to
// leave the rest undone.
func (w *wizard) install(ctx context.Context) error {
	if !w.modern {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"speech", "install", "--config", w.file}
	if w.yes {
		args = append(args, "--yes")
	}
	w.say("\nSpeech\n")
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.cmd.InOrStdin(), w.out, w.cmd.ErrOrStderr()
	if err := cmd.Run(); err != nil { // it has said why, in the line above
		w.say("So modern speech is not installed. Later: sudo hearthctl speech install\n")
	}
	return nil
}

// wake asks what opens a turn.
func (w *wizard) wake(context.Context) error {
	w.guide("\nWake word\n")
	q := question{flag: "wake", text: "Wake (a number, or the URL or file of a microWakeWord model)",
		usual: w.now.Wake.Engine, key: "wake.engine", list: []option{
			{"phrase", "what you say begins with it"},
			{"button", "a key, hearthctl listen or MQTT opens a turn, and a wake word if there is one"},
			{"off", "the microphone stays closed"},
		}}
	if w.soundless() && !w.yes {
		q.usual = "off"
	}
	err := w.until(q, func(a string) error {
		if !strings.HasSuffix(a, ".json") {
			return w.set("wake.engine", a, "What opens a turn: phrase, button or off.")
		}
		model, err := wake.Install(w.c, w.cmd, a, "", "")
		if err != nil {
			return err
		}
		return w.set("wake.words", withWord(&w.now, model), "Words that are heard in the sound itself.")
	})
	if err != nil || w.last("wake.engine") != "phrase" {
		return err
	}
	return w.put(question{flag: "phrase", text: "Wake phrase", usual: w.now.Wake.Phrase, key: "wake.phrase",
		remark: "What a request begins with."})
}

// withWord is the list of the wake words that there are, and of model.
func withWord(now *config.Config, model string) string {
	list := now.Value("wake.words")
	if slices.ContainsFunc(now.Wake.Words, func(word config.WakeWord) bool { return word.Model == model }) {
		return list
	}
	list = strings.TrimSuffix(list, "]")
	if len(now.Wake.Words) > 0 {
		list += ", "
	}
	return list + "{model: " + model + "}]"
}

// cloudURL is where OpenAI's Realtime service is.
const cloudURL = "https://api.openai.com/v1"

// cloud asks whether a service outside the house may answer, and for how much.
func (w *wizard) cloud(context.Context) error {
	w.guide("\nCloud\nOpenAI's Realtime service can answer what the box cannot. It hears a person only after the wake " +
		"word, a\nbutton or an answer, and costs money. Without it nothing that is said leaves the house.\n")
	q := question{flag: "cloud", text: "Use it, yes or no", usual: "no", key: "responder.url",
		remark: "With yes you are asked for a budget and a key; no leaves everything in the house."}
	if w.now.Responder.URL != "" {
		q.usual = "yes"
	}
	err := w.until(q, func(a string) error {
		yes, err := affirmed(a)
		switch {
		case err != nil:
			return err
		case yes:
			return w.set("responder.url", cloudURL,
				"OpenAI's Realtime service; its key is the credential hearthd.openai.")
		}
		return w.set("responder.url", "", "No service outside the house answers.")
	})
	if err != nil || w.last("responder.url") == "" {
		return err
	}
	const remark = "When it is spent, the thinker answers."
	for _, q := range []question{
		{flag: "daily", text: "Budget of a day, in USD", usual: plain(w.now.Responder.Daily), key: "responder.daily",
			remark: remark},
		{flag: "monthly", text: "Budget of a month, in USD", usual: plain(w.now.Responder.Monthly),
			key: "responder.monthly", remark: remark},
	} {
		if err := w.put(q); err != nil {
			return err
		}
	}
	return w.askSecret("key", "hearthd.openai")
}

func plain(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// askSecret asks for what a service is given, which is not shown, and is written at the end.
func (w *wizard) askSecret(what, name string) error {
	file := filepath.Join(w.creds, name)
	_, err := os.Stat(file)
	kept := err == nil
	if !w.yes {
		in, ok := w.cmd.InOrStdin().(*os.File)
		if ok && term.IsTerminal(int(in.Fd())) && w.in.Buffered() == 0 {
			empty := "later"
			if kept {
				empty = "it stays"
			}
			text, err := ctl.Hidden(w.cmd.Context(), in, func() {
				w.say("Its %s, which is not shown (empty: %s): ", what, empty)
			})
			w.say("\n")
			if err != nil {
				return errEnded
			}
			if secret := strings.TrimSpace(string(text)); secret != "" {
				w.secrets[file] = secret
				return nil
			}
		}
	}
	if !kept {
		w.say("Its %s goes into %s: systemd-ask-password -n | sudo install -D -m 0600 /dev/stdin %s\n", what, file, file)
	}
	return nil
}

// keepSecrets writes them to where only root reads them.
func (w *wizard) keepSecrets() error {
	for file, secret := range w.secrets {
		if err := os.MkdirAll(w.creds, 0o700); err != nil {
			return fmt.Errorf("keep %s: %w", file, err)
		}
		if err := files.Write(file, []byte(secret+"\n"), 0o600); err != nil {
			return err
		}
	}
	clear(w.secrets)
	return nil
}
