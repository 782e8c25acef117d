package main

import (
	"fmt"
	"io"
	"time"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

// reloadLimit is long enough for a slow box to read the sentences and thinkers again.
const reloadLimit = time.Minute

func reloadCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Have hearthd read its configuration again, and say what needs a restart",
		Long: `Have hearthd read its configuration again: the files, declared tools, thinkers,
prompts and sentences. What can change while it runs does; the keys that need a
restart are named. Credentials, passwords and keys of services, are read at a start only:
systemctl restart hearthd. A mistake anywhere changes nothing: what held before still does,
and every mistake is printed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var r api.Reloaded
			err := c.Call(cmd, ctl.Request{Path: "/v1/reload", Body: struct{}{}, Limit: reloadLimit},
				&r, func(w io.Writer) {
					if len(r.Problems) > 0 {
						return
					}
					for _, key := range r.Applied {
						fmt.Fprintln(w, "changed:", ctl.Visible(key))
					}
					for _, name := range r.Came {
						fmt.Fprintln(w, "there is now:", ctl.Visible(name))
					}
					for _, name := range r.Gone {
						fmt.Fprintln(w, "there is no longer:", ctl.Visible(name))
					}
					for _, key := range r.Restart {
						fmt.Fprintln(w, "needs a restart (sudo systemctl restart hearthd):", ctl.Visible(key))
					}
					if len(r.Applied)+len(r.Restart)+len(r.Came)+len(r.Gone) == 0 {
						fmt.Fprintln(w, "no key has changed; tools, thinkers and sentences were read again, but no "+
							"credentials: those need a restart")
					}
				})
			if err != nil {
				return err
			}
			return configfile.MistakesError(r.Problems)
		},
	}
}
