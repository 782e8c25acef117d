package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
)

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
