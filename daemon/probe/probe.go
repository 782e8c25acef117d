// Package probe tries what only the daemon's own code can try: whether disk, secrets, broker,
// models, engines for speech and wake words work. It makes parts of its own for that, and leaves
// those of a running daemon alone. It runs on the goroutines of its callers.
package probe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"hearthd/config"
	"hearthd/daemon/doctor"
	"hearthd/daemon/engines"
	"hearthd/daemon/event"
	"hearthd/daemon/health"
	"hearthd/daemon/mqtt"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/secrets"
	"hearthd/daemon/thinkers"
	"hearthd/tools"
)

// Options say what is tried, and how much may be done.
type Options struct {
	Config     *config.Config
	Version    string
	StateDir   string
	RuntimeDir string // engines keep files below it
	Log        *slog.Logger

	// Running: the daemon itself asks. NoCredentials: they cannot be read, because
	// neither the daemon nor root asks.
	Running, NoCredentials bool
	// Cold lets the thinker's model be unloaded, to measure what loading it costs.
	Cold bool
}

// prober makes checks.
type prober struct {
	Options
	secrets *secrets.Secrets
	engines *engines.Engines
}

func newProber(o Options) *prober {
	conditions := health.New(event.NewBus()) // nobody looks at them
	s := secrets.New(conditions, o.Log)
	return &prober{o, s, engines.New(engines.Options{Config: o.Config, Secrets: s, Conditions: conditions, Log: o.Log})}
}

// Run makes one of the checks that hearthctl doctor leaves to the daemon: store,
// secrets, broker, thinker, cloud, calendar, speech, wake or files.
func Run(ctx context.Context, o Options, check string) ([]doctor.Finding, error) {
	dir, err := os.MkdirTemp(o.RuntimeDir, "probe-")
	if err != nil {
		if dir, err = os.MkdirTemp("", "hearthd-probe-"); err != nil {
			return nil, fmt.Errorf("probe: %w", err)
		}
	}
	defer os.RemoveAll(dir)
	o.RuntimeDir = dir
	p := newProber(o)
	one := func(try func(context.Context) doctor.Finding) func(context.Context) []doctor.Finding {
		return func(ctx context.Context) []doctor.Finding { return []doctor.Finding{try(ctx)} }
	}
	checks := map[string]func(context.Context) []doctor.Finding{
		"store": one(p.store), "broker": one(p.broker), "thinker": one(p.thinker), "wake": one(p.wake),
		"files": one(p.files), "calendar": one(p.calendar),
		"secrets": p.readable, "cloud": p.cloud, "speech": p.speech,
	}
	if try, ok := checks[check]; ok {
		return try(ctx), nil
	}
	return nil, fmt.Errorf("probe: there is no check %q", check)
}

// slowDisk is how long a page may take to be on the disk before timers and lists are noticeably
// slow.
const slowDisk = 500 * time.Millisecond

// store writes a page where the memory is, and checks whether it is there.
func (p *prober) store(context.Context) doctor.Finding {
	dir := p.StateDir
	begun := time.Now()
	file, err := os.CreateTemp(dir, ".probe-")
	if err == nil {
		_, err = file.Write(make([]byte, 4096))
		err = errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
	}
	took := time.Since(begun)
	if errors.Is(err, os.ErrNotExist) {
		return doctor.New(doctor.Disk, doctor.Skip, "%s is not there yet: hearthd has never run", dir)
	}
	if errors.Is(err, os.ErrPermission) && !p.Running && os.Geteuid() != 0 {
		return doctor.New(doctor.Disk, doctor.Skip, "not written to: only hearthd and root may")
	}
	if err != nil {
		return doctor.New(doctor.Disk, doctor.Fail, "nothing can be written in %s: %v", dir, reason(err)).
			Mend("df -h %s; ls -ld %s", dir, dir)
	}
	f := doctor.New(doctor.Disk, doctor.OK, "a page is on the disk after %d ms", took.Milliseconds()).
		With("write_ms", float64(took.Milliseconds()))
	if took > slowDisk {
		f.Verdict = doctor.Warn
		f = f.Mend("another SD card or disk for %s: each timer waits for it", dir)
	}
	return f
}

// reason is the innermost cause of an error of the file system.
func reason(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	return err
}

// secrets checks whether keys and passwords can be read.
func (p *prober) readable(context.Context) []doctor.Finding {
	var found []doctor.Finding
	for key, s := range p.Config.Secrets() {
		if _, err := secrets.Read(s); err != nil {
			fix := secretFix(s)
			if kind, path := s.Place(); kind == "file" && !errors.Is(err, os.ErrNotExist) {
				fix = fmt.Sprintf("chgrp hearthd %s; chmod 640 %s; systemctl restart hearthd", path, path)
			}
			found = append(found, doctor.New(doctor.Secrets, doctor.Fail, "%s cannot be read: %v", key,
				err).Mend("%s", fix))
		}
	}
	if len(found) == 0 {
		text := "all that are set can be read"
		if p.NoCredentials {
			text = "those in files can be read; credentials are root's: sudo hearthctl doctor"
		}
		found = append(found, doctor.New(doctor.Secrets, doctor.OK, "%s", text))
	}
	return found
}

// secretFix says how to set a secret.
func secretFix(s config.Secret) string {
	kind, path := s.Place()
	switch kind {
	case "credential":
		path = "/etc/credstore/" + path
	case "":
		return "say where it is, credential:NAME or file:/PATH, and: systemctl restart hearthd"
	}
	return fmt.Sprintf("systemd-ask-password -n | sudo install -D -m 0600 /dev/stdin %s; "+
		"sudo systemctl restart hearthd", path)
}

// hidden reports whether the caller has no right to read s.
func (p *prober) hidden(s config.Secret) bool {
	kind, _ := s.Place()
	return p.NoCredentials && kind == "credential"
}

// needsRoot is the finding of a check that needs a secret which only root can read.
func needsRoot(check, what string) doctor.Finding {
	return doctor.New(check, doctor.Skip,
		"%s is a credential, which only root and the daemon can read: sudo hearthctl doctor", what)
}

// broker sends a message through the broker.
func (p *prober) broker(ctx context.Context) doctor.Finding {
	c := &p.Config.MQTT
	switch {
	case c.Broker == contract.NoBroker:
		return doctor.New(doctor.Broker, doctor.Skip, "not configured: mqtt.broker is off")
	case c.Broker == contract.Embedded && !p.Running:
		return doctor.New(doctor.Broker, doctor.Skip, "the embedded broker runs within hearthd, which does not run")
	case c.User != "" && p.hidden(c.Password):
		return needsRoot(doctor.Broker, "mqtt.password")
	}
	user, password, err := p.secrets.Broker(c, p.StateDir)
	if err != nil {
		return doctor.New(doctor.Broker, doctor.Fail, "the password of the embedded broker: %v", err)
	}
	node, err := contract.Named(p.Config.Node)
	if err != nil {
		return doctor.New(doctor.Broker, doctor.Fail, "%v", err)
	}
	trip, err := mqtt.Try(ctx, mqtt.Options{
		Broker: c.Broker, Listen: c.Listen, User: user, Password: password,
		CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile, Log: p.Log,
		Device: contract.Device{Discovery: c.DiscoveryPrefix, Prefix: c.Prefix, Node: node, Version: p.Version},
	})
	var refusal *mqtt.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Login && c.User == "":
		return doctor.New(doctor.Broker, doctor.Fail, "%s none is set", strings.TrimSuffix(refusal.Text, ".")+":").
			Mend("mqtt: {user: NAME} in /etc/hearthd/conf.d/mqtt.yaml; %s", secretFix(c.Password))
	case errors.As(err, &refusal) && refusal.Login:
		return doctor.New(doctor.Broker, doctor.Fail, "%s (mqtt.user is %s)", strings.TrimSuffix(refusal.Text, "."),
			c.User).
			Mend("%s", secretFix(c.Password))
	case errors.As(err, &refusal) && c.Broker == contract.Embedded: // hearthd itself says why
		return doctor.New(doctor.Broker, doctor.Skip, "the embedded broker does not answer at %s", trip.Address)
	case errors.As(err, &refusal):
		return doctor.New(doctor.Broker, doctor.Fail, "%s", strings.TrimSuffix(refusal.Text, ".")).
			Mend("systemctl status mosquitto on that machine; mqtt.broker in /etc/hearthd/hearthd.yaml, or: " +
				"mqtt: {broker: embedded}")
	case err != nil:
		return doctor.New(doctor.Broker, doctor.Fail, "the broker at %s does not take messages: %v", trip.Address, err).
			Mend("in the broker's access list, for user %s: topic write %s/%s/# and topic read %s/%s/set/#", c.User,
				c.Prefix,
				node, c.Prefix, node)
	}
	f := doctor.New(doctor.Broker, doctor.OK, "%s, joined in %d ms", trip.Address, trip.Connect.Milliseconds()).
		With("connect_ms", milliseconds(trip.Connect))
	if trip.Round == 0 {
		f.Verdict = doctor.Warn
		f.Text += ", but what is sent does not come back"
		return f.Mend("in the broker's access list, for user %s: topic write %s/%s/# and topic read %s/%s/set/#",
			c.User,
			c.Prefix, node, c.Prefix, node)
	}
	f.Text += fmt.Sprintf(", round trip %v", trip.Round.Round(10*time.Microsecond))
	return f.With("round_trip_ms", milliseconds(trip.Round))
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000
}

// files checks what the household has written itself.
func (p *prober) files(context.Context) doctor.Finding {
	mistakes := Tools(p.Config.Tools.Dir)
	_, more := thinkers.Read(p.Config)
	mistakes = append(mistakes, more...)
	if _, err := p.understood(); err != nil {
		mistakes = append(mistakes, err)
	}
	if len(mistakes) == 0 {
		return doctor.New(doctor.Files, doctor.OK, "tools, thinkers, prompts and sentences of the household are good")
	}
	f := doctor.New(doctor.Files, doctor.Warn, "left out: %v", mistakes[0]).With("mistakes", float64(len(mistakes)))
	if n := len(mistakes); n > 1 {
		f.Text += fmt.Sprintf(" (and %d more)", n-1)
	}
	return f.Mend("hearthd check-config names all; mend them, then: systemctl restart hearthd")
}

// Tools names every mistake in the tools that the files of folder dir declare. A name that one of
// hearthd's own tools has taken shows only when it runs.
func Tools(dir string) []error {
	_, mistakes := tools.LoadDir(tools.NewRegistry(nil), dir)
	var list []error
	for _, m := range mistakes {
		list = append(list, m)
	}
	return list
}
