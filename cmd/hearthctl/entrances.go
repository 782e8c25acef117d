package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
)

func entrancesCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use: "entrances", Short: "See and say what lets somebody into the house",
		Long: `See and say what lets somebody into the house: hearthd asks a person before it opens.
Locks, alarm systems and covers that are a garage, a gate or a door are held for
entrances, and what has a word for one in its name, identifier or area. What is
marked here holds at once, and comes before what the configuration lists.`,
	}
	cmd.AddCommand(
		entrancesListCommand(c),
		entranceMarkCommand(c, "mark", "Ask before this device opens", api.EntranceMark{Is: new(true)}),
		entranceMarkCommand(c, "unmark", "Do not ask before this device does something",
			api.EntranceMark{Is: new(false)}),
		entranceMarkCommand(c, "auto",
			"Take a mark back: hold the device for what it looks like", api.EntranceMark{Auto: true}),
	)
	return cmd
}

func entrancesListCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List what is held for an entrance, and why"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/devices"}, func(w io.Writer, all api.Devices) {
		said := 0
		for _, d := range all.Devices {
			if d.Entrance == nil {
				continue
			}
			said++
			not := ""
			if !d.Entrance.Is {
				not = "not, "
			}
			fmt.Fprintln(w, ctl.Visible(fmt.Sprintf("%s (%s): %s%s", called(&d), d.ID, not, d.Entrance.Why)))
		}
		if said == 0 {
			fmt.Fprintln(w, "no device lets anybody in")
		}
	})
}

// called is the name of a device, with its room.
func called(d *api.Device) string {
	if d.Area == "" {
		return d.Name
	}
	return d.Name + ", " + d.Area
}

func entranceMarkCommand(c *ctl.Client, use, short string, mark api.EntranceMark) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME|ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all api.Devices
			if err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/devices"}, &all); err != nil {
				return err
			}
			var err error
			if mark.ID, err = deviceOf(all.Devices, args[0]); err != nil {
				return err
			}
			return c.Do(cmd, "/v1/devices/entrance", mark)
		},
	}
}

// deviceOf finds the ID of the one device that has this name or ID.
func deviceOf(list []api.Device, name string) (string, error) {
	var ids []string
	for _, d := range list {
		if d.ID == name {
			return d.ID, nil
		}
		if strings.EqualFold(d.Name, name) {
			ids = append(ids, d.ID)
		}
	}
	slices.Sort(ids)
	switch len(ids) {
	case 0:
		return "", fmt.Errorf("there is no device %q; the console and hearthctl entrances list name them", name)
	case 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("several devices are called %q: %s; say which ID", name, ctl.Visible(strings.Join(ids, ", ")))
}
