package speech

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/config/files"
	"hearthd/daemon/api"
	"hearthd/daemon/doctor"
)

const (
	// restartLimit is for systemd to restart hearthd, and for it to answer.
	restartLimit = time.Minute
	// probeLimit is for a model to be loaded and to answer hearthd.
	probeLimit = 2 * time.Minute
)

// setting is a key of hearthd's configuration and its value.
type setting struct{ key, value string }

// settings have hearthd use the service. The address comes first: an engine without one is a mistake.
func (s *site) settings(hear, speak bool) (list []setting) {
	for _, e := range []struct {
		section string
		use     bool
	}{{"stt", hear}, {"tts", speak}} {
		if e.use {
			list = append(list, setting{e.section + ".wyoming.address", s.address()}, setting{e.section + ".engine", "wyoming"})
		}
	}
	return list
}

// mayConfigure refuses early what could not be finished.
func (s *site) mayConfigure() error {
	if _, err := os.Stat(s.config); err != nil {
		return fmt.Errorf("read hearthd's configuration: %w; --config names another one, --no-use only installs", err)
	}
	folder := filepath.Dir(s.file())
	err := unix.Access(folder, unix.W_OK)
	if errors.Is(err, fs.ErrNotExist) {
		err = unix.Access(filepath.Dir(folder), unix.W_OK)
	}
	if err != nil {
		return fmt.Errorf("change hearthd's configuration in %s: %w; run it as root", folder, err)
	}
	return nil
}

// file is what is changed.
func (s *site) file() string {
	return filepath.Join((&config.Source{File: s.config}).Folder(), configfile.SetFile)
}

// configure has hearthd use the service, and sees whether it can.
func (s *site) configure(ctx context.Context, hear, speak bool) error {
	return s.set(ctx, s.settings(hear, speak), func(ctx context.Context) error {
		return s.works(ctx, hear, speak)
	})
}

// set changes hearthd's configuration, restarts it, and takes the change back when check refuses it.
func (s *site) set(ctx context.Context, list []setting, check func(context.Context) error) error {
	path := s.file()
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	changed := false
	for _, e := range list {
		if _, err = configfile.Set(s.config, os.Environ(), e.key, e.value); err != nil {
			break
		}
		changed = true
	}
	if err == nil {
		err = s.restart(ctx)
	}
	if err == nil {
		err = check(ctx)
	}
	if err == nil || !changed {
		return err
	}
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*restartLimit)
	defer cancel()
	undo := os.Remove
	if before != nil {
		undo = func(path string) error { return files.Write(path, before, 0o644) }
	}
	if uerr := errors.Join(undo(path), s.restart(back)); uerr != nil {
		return errors.Join(fmt.Errorf("hearthd cannot use it: %w", err), fmt.Errorf("and %s could not be put back: %w", path,
			uerr))
	}
	return fmt.Errorf("hearthd cannot use it, and its configuration is as it was: %w", err)
}

// restart has hearthd read its configuration anew, where systemd runs it.
func (s *site) restart(ctx context.Context) error {
	if !s.systemd() {
		fmt.Fprintln(s.out, "Restart hearthd to use it.")
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	if err := ctl.Systemctl(ctx, "restart", ctl.Account+".service"); err != nil {
		return err
	}
	return s.c.Back(ctx, ctl.Request{Path: "/v1/probe", Body: api.Probe{}})
}

// works has hearthd itself speak and recognise, and says what it could not.
func (s *site) works(ctx context.Context, hear, speak bool) error {
	if !s.systemd() {
		return nil // the one that runs has not been restarted
	}
	var found api.Probed
	ask := ctl.Request{Path: "/v1/probe", Body: api.Probe{Check: "speech", Cold: true}, Limit: probeLimit}
	if err := s.c.Ask(ctx, ask, &found); err != nil {
		return err
	}
	var all []string
	for _, f := range found.Findings {
		ours := f.Check == doctor.Recogniser && hear || f.Check == doctor.Voice && speak
		if ours && f.Verdict == doctor.Fail {
			all = append(all, f.Check+" "+f.Text)
		}
		if ours && f.Verdict == doctor.OK {
			fmt.Fprintf(s.out, "hearthd uses it: %s %s\n", f.Check, ctl.Visible(f.Text))
		}
	}
	if len(all) > 0 {
		return errors.New(ctl.Visible(strings.Join(all, "; ")))
	}
	return nil
}

// off has hearthd use its built-in engines.
func (s *site) off(ctx context.Context) error {
	if err := s.mayConfigure(); err != nil {
		return err
	}
	c, err := config.Load(config.Source{File: s.config, Environ: os.Environ()})
	if err != nil {
		return configfile.ReadError(err)
	}
	std := config.Default()
	var list []setting
	if c.STT.Engine == "wyoming" && c.STT.Wyoming.Address == s.address() {
		list = append(list, setting{"stt.engine", std.STT.Engine})
	}
	if c.TTS.Engine == "wyoming" && c.TTS.Wyoming.Address == s.address() {
		list = append(list, setting{"tts.engine", std.TTS.Engine})
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "hearthd uses none of them.")
		return nil
	}
	return s.set(ctx, list, func(context.Context) error {
		fmt.Fprintln(s.out, "hearthd hears and speaks with its built-in engines again. The models stay.")
		return nil
	})
}
