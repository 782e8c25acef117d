package backup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/config/files"
	"hearthd/daemon/bundle"
)

func RestoreCommand(c *ctl.Client) *cobra.Command {
	var places places
	var passFile string
	var check, accepted bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put what a backup holds in the place of what there is",
		Long: `Put what the backup FILE holds in the place of what there is. Once FILE is found to be good, the service is
stopped, and started again, whatever comes of it; another hearthd must not run.

All of it is unpacked beside its place and checked before anything is stopped or touched: that
nothing is missing, damaged or larger than it may be, that the configuration has no
mistake, and that the memory is what a hearthd wrote and this one can read. Programs
that the configuration or a declared tool would have hearthd run are listed, and you
are asked. Then the folder of the
configuration and that of the state are each exchanged in one step, or neither is; if
the power goes between the two, run the same again. What was there is kept as
/etc/hearthd.before-TIME and /var/lib/hearthd.before-TIME until you delete it.
Files that no backup holds, such as documents, stay.

What was forgotten after the backup was made is remembered again, and what is
forgotten from now on is not forgotten in the folders that are kept.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			places.complete()
			r := &restore{c: c, cmd: cmd, places: places, suffix: ".before-" +
				time.Now().UTC().Format("20060102T150405Z"),
				accepted: accepted}
			r.service = !check && c.Service(cmd.Context(), places.config) && places.state == ctl.ServiceState
			return r.run(args[0], passFile, check)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if strings.Contains(err.Error(), "--yes") { // as setup and ask have it
			return fmt.Errorf("%w; --accept-programs answers the only question", err)
		}
		return err
	})
	places.flags(cmd)
	cmd.Flags().Lookup("config").Usage = "configuration `file` (default " + ctl.ConfigFile + ")"
	cmd.Flags().StringVar(&passFile, "passphrase-file", "", "the passphrase is in this `file`; it is not asked for")
	cmd.Flags().BoolVar(&accepted, "accept-programs", false,
		"the programs that FILE would have hearthd run may run; they are not asked for")
	cmd.Flags().BoolVar(&check, "check", false, "check FILE, and change nothing; hearthd may run")
	return cmd
}

// serviceLimit is longer than systemd lets hearthd take to stop or to start.
const serviceLimit = time.Minute

func serviceTo(ctx context.Context, what ...string) error {
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	return ctl.Systemctl(ctx, what...)
}

// restore is one that is going on.
type restore struct {
	service bool // it is that of this machine, which starts again
	c       *ctl.Client
	cmd     *cobra.Command
	places  places
	suffix  string // of the names of what is set aside
	about   bundle.Manifest
	plan    []exchange
	kept    []string

	programs []config.Program
	accepted bool // by the person who typed the command
}

// exchange is a folder that is ready to take the place of another.
type exchange struct{ dir, fresh string }

// run restores file, or only checks it, away from what a hearthd uses.
func (r *restore) run(file, passFile string, check bool) error {
	beside := os.TempDir()
	if !check {
		if err := r.locate(); err != nil {
			return err
		}
		beside = filepath.Dir(r.places.state) // where the larger part will be
	}
	dir, err := os.MkdirTemp(beside, ".hearthd-restore-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := r.unpack(file, passFile, dir); err != nil {
		return err
	}
	if err := r.verify(dir); err != nil {
		return err
	}
	made := r.about.Made.Local().Format(time.DateTime)
	if check {
		return r.tell(fmt.Sprintf("%s is good: of %s, from %s, with %d files", file, r.about.Node,
			made, len(r.about.Files)))
	}
	if err := r.accept(); err != nil {
		return err
	}
	next := "start hearthd: systemctl start hearthd"
	if r.service {
		next = "hearthd starts again"
		err = r.pausing(func() error { return r.exchange(dir) })
	} else {
		err = r.exchange(dir)
	}
	if len(r.kept) > 0 && err != nil {
		return fmt.Errorf("%w; of what was there before, this is kept: %s", err, strings.Join(r.kept, ", "))
	} else if err != nil {
		return err
	}
	return r.tell(fmt.Sprintf("restored %d files from %s; %s", len(r.about.Files), made, next))
}

// pausing stops the service while it does something, and starts it again, whatever comes of that.
func (r *restore) pausing(do func() error) error {
	ctx := context.WithoutCancel(r.cmd.Context())
	if err := serviceTo(ctx, "stop", ctl.Account+".socket", ctl.Account); err != nil {
		return err
	}
	err := do()
	// Where it was stopped and started often, the last of these fails without the first.
	_ = serviceTo(ctx, "reset-failed", ctl.Account+".socket", ctl.Account)
	return errors.Join(err, serviceTo(ctx, "start", ctl.Account))
}

// exchange puts what was unpacked to dir in its place.
func (r *restore) exchange(dir string) error {
	free, err := r.hold()
	if err != nil {
		return err
	}
	defer free.Close()
	return r.take(dir)
}

// locate finds the folders themselves, not links to them, because they are exchanged.
func (r *restore) locate() error {
	config, err1 := realFolder(filepath.Dir(r.places.config))
	state, err2 := realFolder(r.places.state)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if strings.HasPrefix(state+"/", config+"/") || strings.HasPrefix(config+"/", state+"/") {
		return fmt.Errorf("%s and %s are not apart from each other, so they cannot be exchanged", config, state)
	}
	r.places.config, r.places.state = filepath.Join(config, filepath.Base(r.places.config)), state
	if err := errors.Join(os.MkdirAll(filepath.Dir(state), 0o755),
		os.MkdirAll(filepath.Dir(config), 0o755)); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	return nil
}

// hold keeps every hearthd out of the state until the returned closer is closed.
func (r *restore) hold() (io.Closer, error) {
	if _, err := os.Lstat(r.places.state); err != nil {
		return io.NopCloser(nil), nil
	}
	return holdState(r.places.state)
}

func realFolder(dir string) (string, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Abs(dir)
}

// unpack checks the file while it unpacks it.
func (r *restore) unpack(file, passFile, dir string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("open backup: %w", err)
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if head, err := in.(*bufio.Reader).Peek(len(ageHeader)); err == nil && string(head) == ageHeader {
		pass, err := passphrase(r.cmd.Context(), passFile, false)
		if err != nil {
			return err
		}
		if in, err = decrypt(in, pass); err != nil {
			return err
		}
	}
	r.about, err = bundle.Extract(in, dir)
	return err
}

// verify looks at what was unpacked as a start would.
func (r *restore) verify(dir string) error {
	c, err := loadUnpacked(dir)
	if err != nil {
		return err
	}
	if r.programs, err = programsIn(dir, &c); err != nil {
		return err
	}
	db := filepath.Join(dir, filepath.FromSlash(bundle.Memory))
	if _, err := os.Stat(db); err == nil {
		return checkMemory(r.cmd.Context(), db)
	}
	return nil
}

// take prepares every part beside its place, and then moves one after the other there, the memory
// first: it is what nobody can type again.
func (r *restore) take(dir string) error {
	held := func(part string) bool {
		return slices.ContainsFunc(r.about.Files,
			func(f bundle.File) bool { return strings.HasPrefix(f.Name, part+"/") })
	}
	if held(bundle.State) {
		free, err := r.prepareState(filepath.Join(dir, bundle.State))
		if err != nil {
			return err
		}
		defer free.Close()
	}
	if held(bundle.Config) {
		fresh, err := os.MkdirTemp(filepath.Dir(filepath.Dir(r.places.config)), ".hearthd-restore-")
		if err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		defer os.RemoveAll(fresh)
		if err := r.prepareConfig(filepath.Join(dir, bundle.Config), fresh); err != nil {
			return fmt.Errorf("restore configuration: %w", err)
		}
	}
	unix.Sync() // the new files are on disk before they replace the old ones
	for i, x := range r.plan {
		_, missing := os.Lstat(x.dir)
		if err := bundle.Swap(x.dir, x.fresh, x.dir+r.suffix); err != nil {
			return errors.Join(fmt.Errorf("restore: %w", err), r.putBack(r.plan[:i]))
		}
		if missing == nil {
			r.kept = append(r.kept, x.dir+r.suffix)
		}
	}
	if held(bundle.Secrets) {
		return r.takeSecrets(filepath.Join(dir, bundle.Secrets))
	}
	return nil
}

// putBack undoes the exchanges that were made: configuration and state must be of the same time.
func (r *restore) putBack(done []exchange) error {
	var errs []error
	for _, x := range done {
		err := bundle.SwapBack(x.dir, x.fresh, x.dir+r.suffix)
		if err == nil {
			r.kept = slices.DeleteFunc(r.kept, func(k string) bool { return k == x.dir+r.suffix })
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// prepareState makes the new state folder, whose files are as private as hearthd's own, and keeps
// every hearthd out of it until the returned closer is closed.
func (r *restore) prepareState(fresh string) (io.Closer, error) {
	err := filepath.WalkDir(fresh, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return nil, err
	}
	name := path.Base(bundle.Memory)
	ours := func(n string) bool {
		return strings.HasPrefix(n, name) || n == path.Base(bundle.Words) || n == path.Base(bundle.Calendar) ||
			strings.HasPrefix(n, ".snapshot-")
	}
	if err := r.prepare(r.places.state, fresh, ours); err != nil {
		return nil, err
	}
	return holdState(fresh)
}

// prepareConfig makes the new folder of the configuration, which may be on another file system than
// the state.
func (r *restore) prepareConfig(from, fresh string) error {
	// The service, which reads it, is another user.
	defer unix.Umask(unix.Umask(0o022))
	if err := errors.Join(os.Chmod(fresh, 0o755), os.CopyFS(fresh, os.DirFS(from))); err != nil {
		return err
	}
	main := path.Base(bundle.MainFile)
	if own := filepath.Base(r.places.config); own != main {
		err := os.Rename(filepath.Join(fresh, main), filepath.Join(fresh, own))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, f := range bundle.Folders() {
		if err := os.MkdirAll(filepath.Join(fresh, f), 0o755); err != nil {
			return err
		}
	}
	ours := func(n string) bool {
		return n == filepath.Base(r.places.config) || n == "intents" || slices.Contains(bundle.Folders(), n)
	}
	dir := filepath.Dir(r.places.config)
	if err := r.prepare(dir, fresh, ours); err != nil {
		return err
	}
	// In these a backup has no subfolders, such as one with the programs of declared tools.
	for _, f := range bundle.Folders() {
		inside := filepath.Join(dir, f)
		err := bundle.Graft(inside, filepath.Join(fresh, f), func(n string) bool {
			info, err := os.Lstat(filepath.Join(inside, n))
			return err != nil || !info.IsDir()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *restore) prepare(dir, fresh string, ours func(string) bool) error {
	r.plan = append(r.plan, exchange{dir, fresh})
	return bundle.Graft(dir, fresh, ours)
}

// takeSecrets writes the credentials; those that were there are kept beside them.
func (r *restore) takeSecrets(from string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.places.creds, 0o700); err != nil {
		return fmt.Errorf("restore secrets: %w", err)
	}
	for _, e := range entries {
		if !isCredential(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		to := filepath.Join(r.places.creds, e.Name())
		if err := os.Link(to, to+r.suffix); err == nil {
			r.kept = append(r.kept, to+r.suffix)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("restore secrets: %w", err)
		}
		if err := files.Write(to, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// tell says what was done, and what a person should know of it.
func (r *restore) tell(line string) error {
	if r.c.JSON {
		return ctl.PrintJSON(r.cmd.OutOrStdout(), map[string]any{"backup": r.about, "kept": r.kept,
			"programs": r.programs})
	}
	fmt.Fprintln(r.cmd.OutOrStdout(), line)
	for _, p := range r.programs {
		fmt.Fprintln(r.cmd.OutOrStdout(), "hearthd will run "+shown(p))
	}
	for _, k := range r.kept {
		fmt.Fprintf(r.cmd.OutOrStdout(), "kept until you delete it: %s\n", k)
	}
	if len(r.kept) > 0 {
		fmt.Fprintln(r.cmd.OutOrStdout(), "What was forgotten since the backup was made is remembered again; ask to "+
			"forget it once more.")
	}
	return nil
}
