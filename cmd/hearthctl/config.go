package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

func configCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change the configuration",
		Long: `Show and change the configuration: with a hearthd that runs, its own; without one,
that of the files. Nothing that is shown is a secret: of those the configuration
knows only where they are, and passwords in addresses and arguments are hidden.`,
		Args: cobra.NoArgs,
	}
	var file string
	cmd.PersistentFlags().StringVar(&file, "config", "",
		"configuration `file`, and not that of the hearthd that runs (default "+ctl.ConfigFile+")")
	cmd.AddCommand(configShowCommand(c, &file), configDiffCommand(c, &file), configSetCommand(c, &file))
	return cmd
}

// configuration asks hearthd, or, when none runs or a file is named, the files.
// running says which.
func configuration(c *ctl.Client, cmd *cobra.Command, file string) (found api.Configuration, running bool, err error) {
	if file == "" {
		found, err = configfile.Ask(cmd.Context(), c)
		var away *ctl.AwayError
		if !errors.As(err, &away) {
			return found, err == nil, err
		}
		file = ctl.ConfigFile
	}
	found.File = file
	found.Disk, found.Problems, err = configfile.Read(file)
	return found, false, err
}

// inForce are the settings of the hearthd that runs, or otherwise those of the files.
func inForce(found *api.Configuration, running bool) ([]api.Setting, error) {
	if running {
		return found.Running, nil
	}
	return found.Disk, configfile.MistakesError(found.Problems)
}

func configShowCommand(c *ctl.Client, file *string) *cobra.Command {
	var origin bool
	cmd := &cobra.Command{
		Use:   "show [KEY...]",
		Short: "Show what holds, or the keys that begin with KEY",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, running, err := configuration(c, cmd, *file)
			if err != nil {
				return err
			}
			list, err := inForce(&found, running)
			if err != nil {
				return err
			}
			if !running {
				fmt.Fprintf(cmd.ErrOrStderr(), "hearthctl: no hearthd was asked; this is what %s and the "+
					"variables say\n",
					found.File)
			}
			if list, err = chosen(list, args); err != nil {
				return err
			}
			return c.Print(cmd, list, func(w io.Writer) {
				for _, s := range list {
					line := fmt.Sprintf("%s: %s", s.Key, s.Value)
					if origin {
						line = fmt.Sprintf("%-50s  # %s", line, s.Origin)
					}
					fmt.Fprintln(w, ctl.Visible(line))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "say where each value is from: FILE:LINE, a variable, or default")
	return cmd
}

// chosen are the settings that args name, each a key or the beginning of some.
func chosen(list []api.Setting, args []string) ([]api.Setting, error) {
	if len(args) == 0 {
		return list, nil
	}
	var out []api.Setting
	for _, a := range args {
		n := len(out)
		for _, s := range list {
			if s.Key == a || strings.HasPrefix(s.Key, strings.TrimSuffix(a, ".")+".") {
				out = append(out, s)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("no key %q", a)
		}
	}
	return out, nil
}

func configDiffCommand(c *ctl.Client, file *string) *cobra.Command {
	var running bool
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "Show what the files have that is not the default, or what hearthd does not run on yet",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, runs, err := configuration(c, cmd, *file)
			switch {
			case err != nil:
				return err
			case running && !runs:
				return errors.New("no hearthd was asked, so nothing can be compared with what it runs on")
			case running:
				return showPending(c, cmd, &found)
			}
			if err := configfile.MistakesError(found.Problems); err != nil {
				return err
			}
			needs := func(key string) string {
				switch {
				case slices.Contains(found.Live, key):
					return "; needs a reload"
				case slices.Contains(found.Restart, key):
					return "; needs a restart"
				}
				return ""
			}
			list := slices.DeleteFunc(found.Disk, func(s api.Setting) bool { return s.Value == s.Default && needs(s.Key) == "" })
			return c.Print(cmd, list, func(w io.Writer) {
				for _, s := range list {
					fmt.Fprintf(w, "%s: %s  # default %s, from %s%s\n", s.Key, ctl.Visible(s.Value),
						ctl.Visible(s.Default), ctl.Visible(s.Origin), needs(s.Key))
				}
			})
		},
	}
	cmd.Flags().BoolVar(&running, "running", false, "compare what hearthd runs on with what the files say")
	return cmd
}

// showPending shows changes in the files that the running hearthd does not use yet.
func showPending(c *ctl.Client, cmd *cobra.Command, found *api.Configuration) error {
	if len(found.Problems) > 0 {
		return configfile.MistakesError(found.Problems)
	}
	type change struct {
		Key     string `json:"key"`
		Running string `json:"running"`
		Disk    string `json:"disk"`
		Needs   string `json:"needs"` // "reload" or "restart"
	}
	values := func(list []api.Setting, key string) string {
		if i := slices.IndexFunc(list, func(s api.Setting) bool { return s.Key == key }); i >= 0 {
			return list[i].Value
		}
		return ""
	}
	changes := []change{}
	for needs, keys := range map[string][]string{"reload": found.Live, "restart": found.Restart} {
		for _, key := range keys {
			changes = append(changes, change{key, values(found.Running, key), values(found.Disk, key), needs})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.Key, b.Key) })
	return c.Print(cmd, changes, func(w io.Writer) {
		for _, ch := range changes {
			fmt.Fprintf(w, "%s: %s -> %s  # needs a %s\n", ch.Key, ctl.Visible(ch.Running), ctl.Visible(ch.Disk),
				ch.Needs)
		}
		if len(changes) == 0 {
			fmt.Fprintln(w, "hearthd runs on what the files say")
		}
	})
}

func configSetCommand(c *ctl.Client, file *string) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set a key, in a file of conf.d",
		Long: `Set a key in conf.d/` + configfile.SetFile + ` beside the configuration file, where what stands
already stays as it is, with its comments. Nothing is written if the configuration
would have a mistake, or if another place would still win. A list is written as in
the file, or with spaces between its entries.`,
		Example: "  hearthctl config set audio.volume 45\n  hearthctl config set mqtt.commands 'say ask stop'\n  " +
			"hearthctl config set wake.words '[{model: hey_jarvis}]'",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, running, err := configuration(c, cmd, *file)
			if err != nil {
				return err
			}
			if found.File == "" {
				return errors.New("hearthd runs without a configuration file, so there is no conf.d beside it")
			}
			var environ []string // of a hearthd that does not run
			if !running {
				environ = os.Environ()
			}
			for _, s := range found.Running {
				if s.Key == args[0] && strings.HasPrefix(s.Origin, "HEARTHD_") {
					return fmt.Errorf("%s is set by the variable %s, which hearthd was started with", s.Key, s.Origin)
				}
			}
			path, err := configfile.Set(found.File, environ, args[0], args[1])
			if err != nil {
				return err
			}
			return c.Print(cmd, map[string]string{"file": path}, func(w io.Writer) {
				fmt.Fprintf(w, "written to %s\n", path)
				if running {
					fmt.Fprintln(w, "hearthctl reload takes it over, or says that it needs a restart")
				}
			})
		},
	}
}
