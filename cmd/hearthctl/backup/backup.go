// Package backup writes what a household would miss into a file (daemon/bundle), encrypted with age
// on request, and restores it.
package backup

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/daemon/bundle"
)

// isCredential tells hearthd's own credentials from others, and from those that a restore set
// aside.
func isCredential(name string) bool {
	return regexp.MustCompile(`^hearthd\.[a-z0-9_-]+$`).MatchString(name)
}

// places says where a hearthd keeps what is its own.
type places struct {
	config string // the file
	state  string // the folder
	creds  string // the folder of credentials
}

func (p *places) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.config, "config", "",
		"configuration `file` (default that of the hearthd that runs, or "+ctl.ConfigFile+")")
	cmd.Flags().StringVar(&p.state, "state", "",
		"state `folder` of a hearthd that does not run (default "+ctl.ServiceState+", and ~/.local/state/hearthd for "+
			"users without /etc/hearthd)")
	cmd.Flags().StringVar(&p.creds, "credentials", ctl.Credentials, "`folder` of the credentials")
}

// complete fills in what was not named.
func (p *places) complete() {
	p.config, p.state = cmp.Or(p.config, ctl.ConfigFile), cmp.Or(p.state, ctl.StateFolder())
}

func Command(c *ctl.Client) *cobra.Command {
	var places places
	var secrets, encrypt, force bool
	var passFile string
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the configuration, memory, timers and wake words into a file",
		Long: `Write what a household would miss into FILE: the configuration with its tools,
thinkers, prompts, sentences, answers and radio stations; the memory with timers, alarms,
lists, notes and the newest turns, as they are at one moment; the installed and enrolled
wake words; the calendar of the box. Not the folder of documents. hearthd may run.

The file holds what was said. --encrypt protects it with a passphrase, in the format
of age (age-encryption.org). Secrets are only in it with --secrets, which encrypts:
the credentials of hearthd in /etc/credstore. A secret that the configuration names as
file:/PATH is not in it, and named.

What somebody asks to forget later stays in this file: a backup is deleted by hand.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b := &backup{c: c, cmd: cmd, places: places, secrets: secrets}
			var err error
			if encrypt || secrets || passFile != "" {
				if b.pass, err = passphrase(cmd.Context(), passFile, true); err != nil {
					return err
				}
			}
			return b.write(args[0], force)
		},
	}
	places.flags(cmd)
	cmd.Flags().BoolVar(&secrets, "secrets", false, "with the credentials, encrypted")
	cmd.Flags().BoolVar(&encrypt, "encrypt", false, "encrypt the file with a passphrase")
	cmd.Flags().StringVar(&passFile, "passphrase-file", "",
		"encrypt, with the passphrase in this `file`, and do not ask for it")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite FILE")
	return cmd
}

// backup is one that is being written.
type backup struct {
	c       *ctl.Client
	cmd     *cobra.Command
	places  places
	secrets bool
	pass    string   // empty: not encrypted
	left    []string // what is not in it, for a person
}

// write makes the whole file, or none.
func (b *backup) write(path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s is there already; --force overwrites it", path)
	}
	out, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".") // 0600
	if err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	about, err := b.fill(out)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	if b.c.JSON {
		return ctl.PrintJSON(b.cmd.OutOrStdout(), about)
	}
	for _, l := range b.left {
		fmt.Fprintln(b.cmd.ErrOrStderr(), "hearthctl: not in the backup:", ctl.Visible(l))
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("look at backup: %w", err)
	}
	fmt.Fprintf(b.cmd.OutOrStdout(), "%s: %s in %d kB\n", path, counted(len(about.Files), "file"), (info.Size()+999)/1000)
	return nil
}

// fill writes the bundle.
func (b *backup) fill(out io.Writer) (about bundle.Manifest, err error) {
	state, err := b.c.Open(b.cmd.Context(), "/v1/backup", nil)
	var away *ctl.AwayError
	running := err == nil
	switch {
	case running:
		defer state.Close()
		if b.places.config == "" {
			found, err := configfile.Ask(b.cmd.Context(), b.c)
			if err != nil {
				return about, err
			}
			b.places.config = found.File
		}
	case !errors.As(err, &away):
		return about, err
	}
	b.places.complete()
	if b.pass != "" {
		sealed, err := encrypt(out, b.pass)
		if err != nil {
			return about, err
		}
		defer func() { err = errors.Join(err, sealed.Close()) }()
		out = sealed
	}
	node, err := os.Hostname()
	if err != nil {
		return about, err
	}
	w := bundle.NewWriter(out, bundle.Manifest{Version: b.c.Version, Node: node,
		Made: time.Now().UTC().Truncate(time.Second), Secrets: b.secrets})
	if b.left, err = w.AddConfig(b.places.config); err != nil {
		return about, fmt.Errorf("back up configuration: %w", err)
	}
	if running {
		err = copyState(w, state)
	} else {
		err = b.addState(w)
	}
	if err == nil && b.secrets {
		err = b.addSecrets(w)
	}
	if err != nil {
		return about, err
	}
	return w.Close()
}

// copyState takes the state that the daemon sends.
func copyState(w *bundle.Writer, from io.Reader) error {
	in := tar.NewReader(from)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read memory from hearthd: %w", err)
		}
		if !strings.HasPrefix(h.Name, bundle.State+"/") {
			return fmt.Errorf("read memory from hearthd: file %q", h.Name)
		}
		if err := w.Add(h.Name, h.Size, 0o600, in); err != nil {
			return err
		}
	}
	// A body that was cut off may look like a complete tar.
	if _, err := io.Copy(io.Discard, io.LimitReader(from, 1<<20)); err != nil {
		return fmt.Errorf("read memory from hearthd: %w", err)
	}
	return nil
}

// addState takes the memory of a hearthd that does not run, and keeps it from starting meanwhile.
// The memory's log is folded into a copy.
func (b *backup) addState(w *bundle.Writer) error {
	free, err := holdState(b.places.state)
	if err != nil {
		return err
	}
	defer free.Close()
	tmp, err := os.MkdirTemp("", "hearthctl-backup-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	name := path.Base(bundle.Memory)
	for _, suffix := range []string{"", "-wal"} {
		err := bundle.Copy(filepath.Join(b.places.state, name+suffix), filepath.Join(tmp, name+suffix), 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("copy memory: %w", err)
		}
	}
	if _, err := os.Stat(filepath.Join(tmp, name)); err == nil {
		if err := checkMemory(b.cmd.Context(), filepath.Join(tmp, name)); err != nil {
			return err
		}
	}
	if _, err := w.AddFile(bundle.Memory, filepath.Join(tmp, name)); err != nil {
		return err
	}
	left, err := w.AddFolder(bundle.Words, filepath.Join(b.places.state, path.Base(bundle.Words)))
	b.left = append(b.left, left...)
	if err != nil {
		return fmt.Errorf("back up wake words: %w", err)
	}
	_, err = w.AddFile(bundle.Calendar, filepath.Join(b.places.state, path.Base(bundle.Calendar)))
	return err
}

// holdState keeps every hearthd out of its state folder until what it returns is
// closed.
func holdState(dir string) (io.Closer, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open state folder: %w", err)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("a hearthd uses %s (%w); stop it first: systemctl stop hearthd",
			dir, err), f.Close())
	}
	return f, nil
}

// checkMemory has hearthd check a database, and bring it up to date.
func checkMemory(ctx context.Context, file string) error {
	text, err := exec.CommandContext(ctx, ctl.Program(), "check-memory", file).CombinedOutput()
	if err == nil {
		return nil
	}
	reason := strings.TrimPrefix(strings.TrimSpace(string(text[:min(len(text), 1000)])), "hearthd: ")
	return fmt.Errorf("check memory: %w: %s", err, ctl.Visible(reason))
}

// addSecrets adds the credentials, and names the secrets that are elsewhere.
func (b *backup) addSecrets(w *bundle.Writer) error {
	entries, err := os.ReadDir(b.places.creds)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("back up secrets: %w", err)
	}
	for _, e := range entries {
		if !isCredential(e.Name()) {
			continue
		}
		added, err := w.AddFile(path.Join(bundle.Secrets, e.Name()), filepath.Join(b.places.creds, e.Name()))
		if err != nil {
			return fmt.Errorf("back up secrets: %w", err)
		}
		if !added {
			b.left = append(b.left, filepath.Join(b.places.creds, e.Name()))
		}
	}
	cfg, err := config.Load(config.Source{File: b.places.config})
	if err != nil {
		return nil // mistakes in the configuration are not reported here
	}
	for _, s := range cfg.Secrets() {
		if kind, file := s.Place(); kind == "file" {
			b.left = append(b.left, file)
		}
	}
	return nil
}
