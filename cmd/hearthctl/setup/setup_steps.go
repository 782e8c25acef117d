package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/wake"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"
	"hearthd/tools/intent"
)

// room asks for name, place, language and units.
func (w *walk) room(context.Context) error {
	w.say("\nThe room\n")
	name := w.now.MQTT.Area
	if name == "" && w.now.Node != "" {
		name = w.now.Node
	}
	if name == "" && !w.yes {
		name = "kitchen"
	}
	err := w.until(func() (string, error) { return w.ask("room", "Name of the room", name) }, func(a string) error {
		if a == "" {
			return nil
		}
		return errors.Join(w.set("node", contract.Node(strings.ToLower(a)), "Name of this box on MQTT and in the log."),
			w.set("mqtt.area", a, "The room that Home Assistant is told."))
	})
	if err != nil {
		return err
	}
	languages := intent.Languages()
	for _, q := range []struct{ flag, question, key, now, remark string }{
		{"place", "Town, for the weather (empty: nobody is told)", "memory.place", w.now.Memory.Place, "Where the house is."},
		{"language", "Language (built in: " + strings.Join(languages, ", ") + ")", "tools.intents.language", w.now.Tools.Intents.Language, "Language of the sentences that need no model."},
		{"units", "Units, metric or imperial", "memory.units", w.now.Memory.Units, "metric or imperial."},
	} {
		err := w.until(func() (string, error) { return w.ask(q.flag, q.question, q.now) }, func(a string) error {
			if a == "" {
				return nil
			}
			if q.flag != "language" {
				return w.set(q.key, a, q.remark)
			}
			dir := w.now.Tools.Intents.Dir
			if _, err := os.Stat(filepath.Join(dir, a)); err != nil && a != q.now && !slices.Contains(languages, a) {
				return fmt.Errorf("there are no sentences for %q: built in are %s, others are folders of %s", a, strings.Join(languages, ", "), dir)
			}
			return errors.Join(w.set(q.key, a, q.remark), w.set("stt.language", a, "Language that the recogniser is told."))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// broker asks for the broker, and looks for one in the network.
func (w *walk) broker(ctx context.Context) error {
	w.say("\nMQTT\n")
	list := []option{{"embedded", "embedded  one of its own, for programs on this box"}, {"off", "off  none"}}
	if _, ok := w.given["broker"]; !ok && !w.yes {
		w.say("Looking for brokers in the network…\n")
		for service, scheme := range map[string]string{find.Plain: "mqtt", find.TLS: "mqtts"} {
			found, err := find.Brokers(ctx, service)
			if err != nil {
				w.say("The network cannot be asked: %v\n", err)
				continue
			}
			for _, b := range found {
				if b.IP == nil || b.Port <= 0 || b.Port > 65535 {
					continue
				}
				at := scheme + "://" + net.JoinHostPort(b.IP.String(), strconv.Itoa(b.Port))
				name, _, _ := strings.Cut(b.Name, "."+service)
				// Other escapes of DNS stay: anybody in the network chooses the name.
				list = append(list, option{at, at + "  " + strings.ReplaceAll(name, `\ `, " ")})
			}
		}
		if len(list) > 2 {
			list = append(list, option{"mdns", "mdns  whichever of them is there"})
		}
	}
	err := w.until(func() (string, error) {
		return w.choose("broker", "Broker (a number, or an address such as mqtt://192.168.1.20)", list, w.now.MQTT.Broker)
	}, func(a string) error { return w.set("mqtt.broker", a, "The MQTT broker.") })
	if err != nil {
		return err
	}
	if at := w.last("mqtt.broker"); at == "embedded" || at == "off" {
		return nil
	}
	return w.until(func() (string, error) {
		return w.ask("broker-user", "User at the broker (empty: none)", w.now.MQTT.User)
	}, func(a string) error {
		if a == "" {
			return nil
		}
		w.say("Its password goes into %s: systemd-ask-password -n | install -D -m 0600 /dev/stdin %s\n", filepath.Join(w.creds, "hearthd.mqtt"), filepath.Join(w.creds, "hearthd.mqtt"))
		return w.set("mqtt.user", a, "User at the broker; the password is the credential hearthd.mqtt.")
	})
}

// engines asks for recogniser and voice.
func (w *walk) engines(context.Context) error {
	w.say("\nEngines\n")
	for _, q := range []struct {
		flag, question, engine, address string
		now, at                         string
		programs                        map[string]string // and what has them in Debian
		remark                          string
	}{
		{"recogniser", "Speech to text: pocketsphinx (these sentences only), or HOST:PORT of a Wyoming server (such as faster-whisper)", "stt.engine", "stt.wyoming.address",
			w.now.STT.Engine, w.now.STT.Wyoming.Address, map[string]string{"pocketsphinx": "pocketsphinx_batch pocketsphinx pocketsphinx-en-us"}, "What turns speech into text."},
		{"voice", "Text to speech: flite, espeak-ng, or HOST:PORT of a Wyoming server (such as piper)", "tts.engine", "tts.wyoming.address",
			w.now.TTS.Engine, w.now.TTS.Wyoming.Address, map[string]string{"flite": "flite flite", "espeak-ng": "espeak-ng espeak-ng"}, "What speaks."},
	} {
		usual := q.now
		if usual == "wyoming" {
			usual = q.at
		}
		err := w.until(func() (string, error) { return w.ask(q.flag, q.question, usual) }, func(a string) error {
			if strings.Contains(a, ":") {
				return errors.Join(w.set(q.address, a, "A Wyoming server."), w.set(q.engine, "wyoming", q.remark))
			}
			if program, packages, ok := strings.Cut(q.programs[a], " "); ok {
				if _, err := exec.LookPath(program); err != nil {
					w.say("It is not installed: apt install %s\n", packages)
				}
			}
			return w.set(q.engine, a, q.remark)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// wake asks what opens a turn.
func (w *walk) wake(context.Context) error {
	w.say("\nWake word\n")
	list := []option{
		{"phrase", "phrase  what you say begins with it"},
		{"button", "button  a key, hearthctl listen or MQTT opens a turn, and a wake word if there is one"},
		{"off", "off  the microphone stays closed"},
	}
	err := w.until(func() (string, error) {
		return w.choose("wake", "Wake (a number, or the URL or file of a microWakeWord model)", list, w.now.Wake.Engine)
	}, func(a string) error {
		if !strings.HasSuffix(a, ".json") {
			return w.set("wake.engine", a, "What opens a turn: phrase, button or off.")
		}
		model, err := wake.Install(w.c, w.cmd, a, "", "")
		if err != nil {
			return err
		}
		return w.set("wake.words", fmt.Sprintf("[{model: %s}]", model), "Words that are heard in the sound itself.")
	})
	if err != nil || w.last("wake.engine") != "phrase" {
		return err
	}
	return w.until(func() (string, error) { return w.ask("phrase", "Wake phrase", w.now.Wake.Phrase) },
		func(a string) error { return w.set("wake.phrase", a, "What a request begins with.") })
}

// cloudURL is where OpenAI's Realtime service is.
const cloudURL = "https://api.openai.com/v1"

// cloud asks whether a service outside the house may answer, and for how much.
func (w *walk) cloud(context.Context) error {
	w.say("\nCloud\nOpenAI's Realtime service can answer what the box cannot. It hears a person only after the wake word, a\nbutton or an answer, and costs money. Without it nothing that is said leaves the house.\n")
	usual := "no"
	if w.now.Responder.URL != "" {
		usual = "yes"
	}
	yes := false
	err := w.until(func() (string, error) { return w.ask("cloud", "Use it, yes or no", usual) }, func(a string) error {
		switch strings.ToLower(a) {
		case "yes", "y":
			yes = true
			return w.set("responder.url", cloudURL, "OpenAI's Realtime service; its key is the credential hearthd.openai.")
		case "no", "n":
			return w.set("responder.url", "", "No service outside the house answers.")
		}
		return errors.New("must be yes or no")
	})
	if err != nil || !yes {
		return err
	}
	for _, q := range []struct {
		flag, question, key string
		now                 float64
	}{
		{"daily", "Budget of a day, in USD", "responder.daily", w.now.Responder.Daily},
		{"monthly", "Budget of a month, in USD", "responder.monthly", w.now.Responder.Monthly},
	} {
		err := w.until(func() (string, error) { return w.ask(q.flag, q.question, strconv.FormatFloat(q.now, 'g', -1, 64)) },
			func(a string) error { return w.set(q.key, a, "When it is spent, the thinker answers.") })
		if err != nil {
			return err
		}
	}
	return w.askKey()
}

// askKey asks for the key, unless it is there. It is not shown, and written at the end.
func (w *walk) askKey() error {
	file := filepath.Join(w.creds, "hearthd.openai")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	if !w.yes {
		in, ok := w.cmd.InOrStdin().(*os.File)
		if ok && term.IsTerminal(int(in.Fd())) && w.in.Buffered() == 0 {
			key, err := ctl.Hidden(in, func() { w.say("Key, which is not shown (empty: later): ") })
			w.say("\n")
			if err != nil {
				return errEnded
			}
			w.key = strings.TrimSpace(string(key))
		}
	}
	if w.key == "" {
		w.say("Its key goes into %s: systemd-ask-password -n | install -D -m 0600 /dev/stdin %s\n", file, file)
	}
	return nil
}

// keepKey writes the key to where only root reads it.
func (w *walk) keepKey() error {
	if w.key == "" {
		return nil
	}
	if err := os.MkdirAll(w.creds, 0o700); err != nil {
		return fmt.Errorf("keep key: %w", err)
	}
	err := configfile.Write(filepath.Join(w.creds, "hearthd.openai"), []byte(w.key+"\n"), 0o600)
	w.key = ""
	return err
}
