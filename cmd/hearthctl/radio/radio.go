// Package radio is hearthctl radio: the stations of the household, in their file. It runs no goroutine of its own; to
// try a station it fetches and decodes as hearthd does.
package radio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/media"
)

// place says where the stations are, and what goes with them.
type place struct {
	client *ctl.Client
	file   string // of the stations; empty: as the configuration says
}

// Command is hearthctl radio.
func Command(c *ctl.Client) *cobra.Command {
	p := &place{client: c}
	cmd := &cobra.Command{
		Use: "radio", Short: "Look after the radio stations and podcasts of the household",
		Long: `Look after the radio stations and podcasts of the household, which are played by name. hearthd
knows a change at once, and one that an editor made within seconds.`,
	}
	cmd.PersistentFlags().StringVar(&p.file, "file", "", "`file` of the stations (default: as the configuration says)")
	cmd.AddCommand(p.listCommand(), p.addCommand(), p.removeCommand(), p.tryCommand(), p.searchCommand())
	return cmd
}

// read gives the stations and their file.
func (p *place) read(ctx context.Context) ([]media.Station, string, error) {
	file := p.file
	if file == "" {
		var err error
		if file, err = configfile.Setting(ctx, p.client, "media.stations"); err != nil {
			return nil, "", err
		}
	}
	list, err := media.ReadStations(file)
	return list, file, err
}

func (p *place) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the stations", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, _, err := p.read(cmd.Context())
			if err != nil {
				return err
			}
			if list == nil {
				list = []media.Station{}
			}
			return p.client.Print(cmd, list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintln(w, "no stations; hearthctl radio add NAME URL adds one")
				}
				for _, s := range list {
					name := strings.Join(append([]string{s.Name}, s.Aliases...), ", ")
					if s.Podcast {
						name += " (podcast)"
					}
					fmt.Fprintf(w, "%s: %s\n", ctl.Visible(name), ctl.Visible(s.URL))
				}
			})
		},
	}
}

func (p *place) addCommand() *cobra.Command {
	var aliases []string
	var podcast bool
	cmd := &cobra.Command{
		Use: "add NAME URL", Short: "Add a station or podcast, or give one another address",
		Long: `Add a station, or give one another address: that of a stream, or of a playlist (M3U, PLS, HLS);
or, with --podcast, a podcast by the address of its feed. It is tried then, and kept even if it does not play now.
The stations are part of the configuration, which only root may change: sudo hearthctl radio add.`,
		Example: `  sudo hearthctl radio add "Radio Paradise" https://stream.radioparadise.com/aac-320 --alias paradise
  sudo hearthctl radio add --podcast "Science Hour" https://podcasts.files.bbci.co.uk/p016tmt2.rss`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.add(cmd, media.Station{Name: args[0], URL: args[1], Aliases: aliases, Podcast: podcast})
		},
	}
	cmd.Flags().StringSliceVar(&aliases, "alias", nil, "another `name` for it; may be repeated")
	cmd.Flags().BoolVar(&podcast, "podcast", false, "the address is that of a feed of episodes")
	return cmd
}

// add writes a station, tries it, and tells what it has taken the place of.
func (p *place) add(cmd *cobra.Command, s media.Station) error {
	list, file, err := p.read(cmd.Context())
	if err != nil {
		return err
	}
	undo, instead := fmt.Sprintf("take it off: hearthctl radio remove %q", s.Name), "."
	for _, old := range list {
		if strings.EqualFold(old.Name, s.Name) && old.URL != s.URL {
			undo = "have what was there: " + toAdd(old)
			instead = fmt.Sprintf(", in place of %s: %s", ctl.Visible(old.Name), ctl.Visible(old.URL))
		}
	}
	known, err := p.write(cmd.Context(), file, append(without(list, s.Name), s))
	if err != nil {
		return err
	}
	what := "can be played once hearthd has read it"
	if known {
		what = "can be played now"
	}
	_, dead := p.try(cmd.Context(), s)
	if dead != nil {
		what = "is added"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s %s%s\n", ctl.Visible(s.Name), what, instead)
	if dead != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "But now %v. To try it again: hearthctl radio try %q; to %s\n", dead, s.Name, undo)
	}
	return nil
}

// toAdd is the command that adds a station.
func toAdd(s media.Station) string {
	words := []string{"hearthctl radio add", strconv.Quote(s.Name), ctl.Visible(s.URL)}
	for _, a := range s.Aliases {
		words = append(words, "--alias", strconv.Quote(a))
	}
	if s.Podcast {
		words = append(words, "--podcast")
	}
	return strings.Join(words, " ")
}

// write replaces the file of the stations, and reports whether hearthd knows.
func (p *place) write(ctx context.Context, file string, list []media.Station) (known bool, err error) {
	err = media.WriteStations(file, list)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: it is part of the configuration, which only root may change: the same again with sudo", err)
	}
	if err != nil || p.file != "" {
		return false, err
	}
	return p.client.Ask(ctx, ctl.Request{Path: "/v1/stations/read", Body: struct{}{}}, nil) == nil, nil
}

// without is a list without the station of a name.
func without(list []media.Station, name string) (rest []media.Station) {
	for _, s := range list {
		if !strings.EqualFold(s.Name, name) {
			rest = append(rest, s)
		}
	}
	return rest
}

func (p *place) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a station", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, file, err := p.read(cmd.Context())
			if err != nil {
				return err
			}
			rest := without(list, args[0])
			if len(rest) == len(list) {
				return fmt.Errorf("there is no station %q", args[0])
			}
			_, err = p.write(cmd.Context(), file, rest)
			return err
		},
	}
}
