package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hearthd/config"
	"hearthd/daemon/api"
)

// setFile is what config set writes, in conf.d.
const setFile = "90-set.yaml"

func configSetCommand(c *client, file *string) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set a key, in a file of conf.d",
		Long: `Set a key in conf.d/` + setFile + ` beside the configuration file, where what stands
already stays as it is, with its comments. Nothing is written if the configuration
would have a mistake, or if another place would still win. A list is written as in
the file, or with spaces between its entries.`,
		Example: "  hearthctl config set audio.volume 45\n  hearthctl config set mqtt.commands 'say ask stop'\n  hearthctl config set wake.words '[{model: hey_jarvis}]'",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, running, err := configuration(c, cmd, *file)
			if err != nil {
				return err
			}
			if found.File == "" {
				return errors.New("hearthd runs without a configuration file, so there is no conf.d beside it")
			}
			e := edit{file: found.File, name: setFile}
			if !running {
				e.environ = os.Environ()
			} else if i := slices.IndexFunc(found.Running, func(s api.Setting) bool { return s.Key == args[0] }); i >= 0 && strings.HasPrefix(found.Running[i].Origin, "HEARTHD_") {
				return fmt.Errorf("%s is set by the variable %s, which hearthd was started with", args[0], found.Running[i].Origin)
			}
			path, err := e.set(args[0], args[1])
			if err != nil {
				return err
			}
			if c.json {
				return printJSON(cmd.OutOrStdout(), map[string]string{"file": path})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "written to %s\n", path)
			if running {
				fmt.Fprintln(cmd.OutOrStdout(), "hearthctl reload takes it over, or says that it needs a restart")
			}
			return nil
		},
	}
}

// edit changes a file of conf.d.
type edit struct {
	file    string // the configuration
	name    string // in its conf.d
	environ []string
}

// set writes one key and gives the path of the file.
func (e *edit) set(key, value string) (path string, err error) {
	src := config.Source{File: e.file, Environ: e.environ}
	path = filepath.Join(src.Folder(), e.name)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		text = []byte("# What `hearthctl config set` wrote. Edit it as you like: see hearthd.yaml(5).\n")
	case err != nil:
		return "", err
	}
	edited, err := config.Edit(text, key, value)
	if err != nil {
		return "", fmt.Errorf("change %s: %w", path, err)
	}
	src.Instead = map[string][]byte{path: edited}
	_, from, err := config.Read(src)
	if err != nil {
		return "", refused(err)
	}
	if origin := from.Of(key); !strings.HasPrefix(origin, path+":") {
		return "", fmt.Errorf("%s is set by %s, which comes later and wins; change it there", key, origin)
	}
	return path, writeAtomically(path, edited, 0o644)
}

// refused is the error of a configuration that cannot be read, in lines fit for a
// terminal.
func refused(err error) error {
	var ps config.Problems
	if !errors.As(err, &ps) {
		return err
	}
	var list []string
	for _, p := range ps {
		list = append(list, p.String())
	}
	return mistakes(list)
}

// writeAtomically puts text in the place of the file at path, or leaves what is there.
// A file that is there keeps its mode, and its owner as far as whoever writes may give it.
func writeAtomically(path string, text []byte, mode os.FileMode) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
		if owner, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = f.Chown(int(owner.Uid), int(owner.Gid)) // root may
		}
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return syncFolder(dir)
}

// syncFolder makes a rename survive a power cut.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
