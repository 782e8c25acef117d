// Package setup walks a person through the first configuration, and writes it.
package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/doctor"
	"hearthd/config"
	"hearthd/config/files"
)

// setupFile is the file in conf.d that setup writes. It is read before the one of config set, which
// therefore wins.
const setupFile = "50-setup.yaml"

func Command(c *ctl.Client) *cobra.Command {
	w := &wizard{c: c, given: make(map[string]string), answers: make(map[string]string),
		secrets: make(map[string]string)}
	var yes, noRestart, noDoctor bool
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Walk through the first configuration: sound, room, broker, model, engines, cloud",
		Long: `Walk through the configuration of a new box, and write it with comments into
conf.d/` + setupFile + ` beside the configuration file. Nothing is written before the last
question, and what is written can be changed there, or by running setup again. What a later
file of conf.d sets, such as that of hearthctl config set, is not asked. Then hearthd is
restarted, the microphone and the speaker are tried with you, and hearthctl doctor looks at
everything.

With --yes nothing is asked: flags say what to write, and what was not named stays as
it is. A flag answers its question in advance.`,
		Example: "  hearthctl setup\n  hearthctl setup --yes --room kitchen --microphone plughw:CARD=Device,DEV=0 " +
			"--speaker plughw:CARD=Device,DEV=0 --broker mdns",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.cmd, w.out, w.in, w.yes = cmd, cmd.OutOrStdout(), bufio.NewReader(cmd.InOrStdin()), yes
			for name := range answers() {
				if f := cmd.Flags().Lookup(name); f.Changed {
					w.given[name] = f.Value.String()
				}
			}
			return w.run(!noRestart, !noDoctor)
		},
	}
	for name, usage := range answers() {
		cmd.Flags().String(name, "", usage)
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "ask nothing")
	cmd.Flags().BoolVar(&noRestart, "no-restart", false,
		"do not restart hearthd, and do not try microphone and speaker")
	cmd.Flags().BoolVar(&noDoctor, "no-doctor", false, "do not run hearthctl doctor at the end")
	cmd.Flags().DurationVar(&w.listens, "listen", heardFor, "how long the microphone is tried")
	cmd.Flags().StringVar(&w.file, "config", ctl.ConfigFile, "configuration `file`")
	cmd.Flags().StringVar(&w.creds, "credentials", ctl.Credentials, "`folder` for the key of a cloud service")
	cmd.Flags().StringVar(&w.root, "root", "/", "look for /proc below this `folder`")
	if err := cmd.Flags().MarkHidden("root"); err != nil {
		panic(err) // the flag exists
	}
	return cmd
}

// answers are the flags that answer a question each.
func answers() map[string]string {
	return map[string]string{
		"microphone": "ALSA `name` of the microphone", "speaker": "ALSA `name` of the speaker",
		"room": "`name` of the room", "place": "`town` where the house is",
		"timezone": "`name` of the time zone, such as Europe/Vienna",
		"language": "`code` of the language, such as en", "units": "metric or imperial",
		"broker":      "`address` of the MQTT broker: embedded, off, mdns or mqtt://HOST",
		"broker-user": "user `name` at the broker",
		"ollama":      "`URL` of an Ollama, or none", "model": "`name` of its model",
		"recogniser": "pocketsphinx, or HOST:PORT of a Wyoming server",
		"voice":      "flite, espeak-ng, or HOST:PORT of a Wyoming server",
		"speech":     "yes or no: install modern engines on this box",
		"wake":       "phrase, button or off, or the URL or `file` of a microWakeWord model",
		"phrase":     "wake `phrase`, in small letters",
		"cloud":      "yes or no: OpenAI's Realtime service", "daily": "budget of a day, in `USD`",
		"monthly": "budget of a month, in `USD`",
	}
}

// run asks, writes, restarts, tries and examines.
func (w *wizard) run(restart, examine bool) error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.questions(w.cmd.Context()); err != nil {
		return err
	}
	if restart {
		if err := w.restart(); err != nil {
			return err
		}
		if err := w.listen(w.cmd.Context()); err != nil {
			return err
		}
	}
	if err := w.install(w.cmd.Context()); err != nil {
		return err
	}
	if examine {
		if _, err := doctor.Examine(w.c, w.cmd, doctor.Examination{File: w.file, Root: "/", Quiet: w.yes}); err != nil {
			return err
		}
	}
	w.guide("\nNext: sudo adduser \"$USER\" hearthd, and log in again; then only what changes the configuration needs "+
		"sudo.\nhearthctl intents list --language %s shows what can be said; hearthctl ask SENTENCE asks it in writing.\n",
		w.last("tools.intents.language"))
	return nil
}

// questions asks all of them and writes the answers. A person may go back by a question, for which its step is taken
// again up to there, with the answers that were given; all of them are asked again where the person does not want to
// write the answers.
func (w *wizard) questions(ctx context.Context) error {
	steps := []func(context.Context) error{w.sound, w.room, w.broker, w.thinker, w.engines, w.speech, w.wake, w.cloud,
		func(context.Context) error { return w.write(true) }}
	asked := make([]int, len(steps)) // questions of each step
	for i := 0; i < len(steps); {
		w.asked = 0
		err := steps[i](ctx)
		w.again = 0
		switch {
		case errors.Is(err, errAnew):
			i = 0
		case errors.Is(err, errBack):
			for w.asked == 0 && i > 0 { // the first of its step, or of steps that ask nothing
				i--
				w.asked = asked[i]
			}
			w.again = max(w.asked-1, 0)
		case err != nil:
			return err
		default:
			asked[i] = w.asked
			i++
		}
	}
	return nil
}

// errAnew is the error of answers that are not to be written so.
var errAnew = errors.New("ask again")

// begin reads the present configuration.
func (w *wizard) begin() error {
	if _, err := os.Stat(w.file); err != nil {
		return fmt.Errorf("set up hearthd: %w; is the package installed?", err)
	}
	folder := (&config.Source{File: w.file}).Folder()
	w.path = filepath.Join(folder, setupFile)
	err := unix.Access(folder, unix.W_OK)
	if errors.Is(err, os.ErrNotExist) {
		err = unix.Access(filepath.Dir(folder), unix.W_OK)
	}
	if err != nil {
		return fmt.Errorf("set up hearthd: write %s: %w; run it as root", w.path, err)
	}
	if w.now, w.from, err = config.Read(config.Source{File: w.file}); err != nil {
		return configfile.ReadError(err)
	}
	if w.later, err = filepath.Glob(filepath.Join(folder, "*.yaml")); err != nil {
		return fmt.Errorf("list %s: %w", folder, err)
	}
	w.later = slices.DeleteFunc(w.later, func(path string) bool { return path <= w.path })
	w.guide("This writes %s. Enter keeps what stands in [ ], ? explains, < goes back; nothing is written before the "+
		"end.\n", w.path)
	return nil
}

// write shows the file and, if that is right, writes it.
func (w *wizard) write(confirm bool) error {
	text, err := w.document()
	if err != nil {
		return err
	}
	if confirm {
		w.say("\n%s", text)
		if w.zone != "" {
			w.say("\nAnd the time zone of this machine, now %s, becomes %s.\n", w.box().Zone(), w.zone)
		}
		ok, err := w.agree("Write this to "+w.path+"?", true)
		if err != nil {
			return err
		}
		if !ok {
			again, err := w.agree("Nothing was written. Go through the questions again, with these answers?", true)
			if err == nil && again {
				err = errAnew
			}
			return cmp.Or(err, errors.New("nothing was written"))
		}
	}
	if old, err := os.ReadFile(w.path); err == nil && confirm {
		kept := w.path + time.Now().UTC().Format(".before-20060102T150405Z") // of each time, so that none is lost
		if err := files.Write(kept, old, 0o644); err != nil {
			return err
		}
		w.say("What stood there before is kept as %s.\n", kept)
	}
	if err := files.Write(w.path, text, 0o644); err != nil {
		return err
	}
	w.written = true
	w.say("Written.\n")
	return errors.Join(w.keepSecrets(), w.setZone())
}

// setZone sets the time zone of the machine, where that was asked for.
func (w *wizard) setZone() error {
	if w.zone == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(w.cmd.Context(), restartLimit)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "timedatectl", "set-timezone", w.zone).CombinedOutput(); err != nil {
		w.say("The time zone of this machine cannot be set (%v: %s), so hearthd has it alone.\n", err,
			ctl.Visible(strings.TrimSpace(string(out[:min(len(out), 500)]))))
		own := w.zone
		w.zone = ""
		return errors.Join(w.set("tools.timezone", own, zoneRemark), w.write(false))
	}
	w.say("The time zone of this machine is %s now.\n", w.zone)
	zone, err := time.LoadLocation(w.zone)
	if err == nil {
		time.Local = zone // which was read at the start; the doctor of this setup tells the time
	}
	w.zone = ""
	return err
}

// document is the file to be written; with it the whole configuration must be without mistakes.
func (w *wizard) document() ([]byte, error) {
	head := "What `hearthctl setup` wrote on " + time.Now().Format(time.DateOnly) +
		". Change it as you like: see hearthd.yaml(5).\n" +
		"Files of this folder whose names come later win."
	text, err := config.Document(head, w.changes())
	if err != nil {
		return nil, err
	}
	_, from, err := config.Read(config.Source{File: w.file, Instead: map[string][]byte{w.path: text}})
	if err != nil {
		return nil, configfile.ReadError(err)
	}
	for _, e := range w.changes() {
		if origin := from.Of(e.Key); !within(origin, w.path) {
			w.say("Note: %s is set by %s, which wins.\n", e.Key, origin)
		}
	}
	return text, nil
}

// changes are the entries that are written: without a person, only those that differ from what was
// so before. Other keys in the file stay.
func (w *wizard) changes() []config.Entry {
	list := append(slices.Clone(w.entries), w.kept()...)
	if !w.yes {
		return list
	}
	std := config.Default()
	return slices.DeleteFunc(list, func(e config.Entry) bool {
		with, err := config.With(std, e.Key, e.Value)
		if err != nil {
			return false // Document says so
		}
		return len(config.Changed(&std, &with)) == 0 && !slices.Contains(config.Changed(&std, &w.now), e.Key)
	})
}

// kept are the keys of the file that existed before which setup has not asked for.
func (w *wizard) kept() (list []config.Entry) {
	for _, key := range config.Keys() {
		asked := slices.ContainsFunc(w.entries, func(e config.Entry) bool { return e.Key == key })
		if !asked && within(w.from.Of(key), w.path) {
			list = append(list, config.Entry{Key: key, Value: w.now.Value(key), Remark: "Stood here before."})
		}
	}
	return list
}

func within(origin, file string) bool {
	return len(origin) > len(file) && origin[:len(file)+1] == file+":"
}

// restartLimit is long enough for systemd to restart hearthd, and for hearthd to answer.
const restartLimit = time.Minute

// restart makes hearthd read the new configuration: through systemd, or by asking the person to
// restart it.
func (w *wizard) restart() error {
	ctx, cancel := context.WithTimeout(w.cmd.Context(), restartLimit)
	defer cancel()
	switch {
	case w.c.Service(ctx, w.file):
		w.say("Restarting hearthd.\n")
		if err := ctl.Systemctl(ctx, "restart", ctl.Account); err != nil {
			return fmt.Errorf("restart hearthd: %w", err)
		}
	case w.yes:
		w.say("Restart hearthd to use it.\n")
		return nil
	default:
		if _, err := w.line("Restart hearthd now (systemctl restart hearthd), and press Enter"); err != nil {
			return err
		}
	}
	return w.c.Back(ctx, ctl.Request{Path: "/v1/status"})
}
