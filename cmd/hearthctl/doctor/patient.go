package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/doctor"
	"hearthd/daemon/doctor/box"
)

// patient is the hearthd that is examined, running or not.
type patient struct {
	c *ctl.Client
	x Examination

	running bool // and answers
	denied  bool // it runs, and its socket is not for us
	pid     int
	begun   time.Time
	status  api.Status

	stateDir string
	file     string            // configuration
	settings map[string]string // its settings by key; nil when they have mistakes and no daemon has valid ones
	problems []string
	restart  []string // keys that wait for a restart

	known []doctor.Finding // what was found on the way
}

// newPatient finds out whether hearthd runs, and how it is configured.
func newPatient(ctx context.Context, c *ctl.Client, x Examination) *patient {
	p := &patient{c: c, x: x, stateDir: os.Getenv("STATE_DIRECTORY"), file: x.File}
	var about api.Probed
	err := c.Ask(ctx, ctl.Request{Path: "/v1/probe", Body: api.Probe{}}, &about)
	var away *ctl.AwayError
	switch {
	case err == nil:
		p.running, p.pid, p.begun, p.stateDir = true, about.PID, about.Begun, about.StateDir
		if err := c.Ask(ctx, ctl.Request{Path: "/v1/status"}, &p.status); err != nil {
			p.found(doctor.New(doctor.Service, doctor.Fail, "hearthd runs and does not say how it is: %v", err).
				Mend("journalctl -u hearthd -n 50; systemctl restart hearthd"))
		}
	case errors.As(err, &away):
	case errors.Is(err, fs.ErrPermission):
		p.denied = true
		p.found(doctor.New(doctor.Permissions, doctor.Warn,
			"you may not talk to hearthd, so what only it can tell is skipped").
			Mend("sudo hearthctl doctor, or: sudo usermod -aG hearthd %s; then log in again",
				cmp.Or(os.Getenv("USER"), "NAME")))
	default:
		p.found(doctor.New(doctor.Service, doctor.Fail, "hearthd does not answer as it should: %v", err).
			Mend("journalctl -u hearthd -n 50; systemctl restart hearthd"))
	}
	p.stateDir = cmp.Or(p.stateDir, ctl.StateFolder())
	p.configured(ctx)
	return p
}

func (p *patient) found(f doctor.Finding) { p.known = append(p.known, f) }

// configured finds out which configuration holds: the daemon's own, or the file's.
func (p *patient) configured(ctx context.Context) {
	if p.running && p.x.File == "" {
		var c api.Configuration
		if err := p.c.Ask(ctx, ctl.Request{Path: "/v1/config"}, &c); err == nil {
			p.file, p.problems, p.restart = c.File, c.Problems, c.Restart
			p.set(c.Running)
			return
		}
	}
	if p.file == "" && ctl.Exists(ctl.ConfigFile) {
		p.file = ctl.ConfigFile
	}
	list, problems, err := configfile.Read(p.file)
	switch p.problems = problems; {
	case problems != nil:
	case errors.Is(err, fs.ErrPermission):
		p.found(doctor.New(doctor.Configuration, doctor.Skip, "%s is not for you to read: sudo hearthctl doctor",
			p.file))
	case err != nil:
		p.problems = []string{err.Error()}
	default:
		p.set(list)
	}
}

func (p *patient) set(list []api.Setting) {
	p.settings = make(map[string]string)
	for _, s := range list {
		p.settings[s.Key] = strings.Trim(s.Value, `"'`)
	}
}

// box is the machine with what belongs to this hearthd.
func (p *patient) box() *box.Box {
	o := box.Options{
		Root: p.x.Root, Account: ctl.Account, Unit: ctl.Account, StateDir: p.stateDir, PID: p.pid, Floor: built(),
		Capture:  cmp.Or(p.settings["audio.capture"], "default"),
		Playback: cmp.Or(p.settings["audio.playback"], "default"),
		Timezone: p.settings["tools.timezone"],
	}
	if p.file != "" {
		o.Readable = append(o.Readable, p.file)
		more, err := filepath.Glob(filepath.Join(filepath.Dir(p.file), "conf.d", "*.yaml"))
		if err == nil {
			o.Readable = append(o.Readable, more...)
		}
	}
	for _, key := range []string{"tools.dir", "thinker.dir", "thinker.prompts", "tools.intents.dir", "mqtt.ca_file",
		"mqtt.cert_file", "mqtt.key_file"} {
		if path := p.settings[key]; path != "" && ctl.Exists(path) {
			o.Readable = append(o.Readable, path)
		}
	}
	for _, value := range p.settings {
		if path, ok := strings.CutPrefix(value, "file:/"); ok {
			o.Readable, o.Private = append(o.Readable, "/"+path), append(o.Private, "/"+path)
		}
		if name, ok := strings.CutPrefix(value, "credential:"); ok {
			o.Private = append(o.Private, filepath.Join(ctl.Credentials, name))
		}
	}
	slices.Sort(o.Readable)
	slices.Sort(o.Private)
	o.Private = slices.Compact(o.Private)
	return box.New(o)
}

// built is when this program was built, as far as it knows; zero otherwise.
func built() time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Time{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}

// about says in a line what is examined.
func (p *patient) about() string {
	switch {
	case p.running:
		return fmt.Sprintf("hearthd %s on %s runs, since %s", p.status.Version, p.status.Node,
			p.begun.Local().Format("2 January, 15:04"))
	case p.denied:
		return "hearthd runs, but may not be asked"
	}
	return "hearthd does not run; its parts were tried without it"
}

// probe has the daemon make a check, or, where none runs, its program.
func (p *patient) probe(ctx context.Context, name, check string) []doctor.Finding {
	skip := func(format string, args ...any) []doctor.Finding {
		return []doctor.Finding{doctor.New(name, doctor.Skip, format, args...)}
	}
	if p.running {
		var out api.Probed
		ask := ctl.Request{Path: "/v1/probe", Body: api.Probe{Check: check, Cold: p.x.cold}, Limit: thinkerLimit}
		if err := p.c.Ask(ctx, ask, &out); err != nil {
			if ctx.Err() != nil {
				return []doctor.Finding{doctor.New(name, doctor.Fail,
					"does not come to an end within the time of this check").
					Mend("journalctl -u hearthd -n 50")}
			}
			return skip("hearthd cannot look: %v", err)
		}
		return out.Findings
	}
	switch {
	case p.settings == nil:
		return skip("not looked at: the configuration cannot be read")
	case p.denied && slices.Contains([]string{"store", "broker"}, check):
		return skip("only hearthd can tell, and may not be asked: sudo hearthctl doctor")
	}
	cmd, err := p.program(ctx, check)
	if err != nil {
		return skip("not looked at: %v", err)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var list []doctor.Finding
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &list)
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return []doctor.Finding{doctor.New(name, doctor.Fail, "hearthd cannot look: %v: %.300s", err, first).
			Mend("hearthd probe %s", check)}
	}
	return list
}

// program is hearthd's own program, which stands beside this one, for a check.
func (p *patient) program(ctx context.Context, check string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath(ctl.Program())
	if err != nil {
		return nil, fmt.Errorf("the program hearthd is not installed: %w", err)
	}
	args = append([]string{"probe", check, "--config", p.file}, args...)
	if p.x.cold {
		args = append(args, "--cold")
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), "STATE_DIRECTORY="+p.stateDir)
	// Root may read what systemd would pass to the service.
	if os.Geteuid() == 0 && os.Getenv("CREDENTIALS_DIRECTORY") == "" {
		cmd.Env = append(cmd.Env, "CREDENTIALS_DIRECTORY="+ctl.Credentials)
	}
	return cmd, nil
}
