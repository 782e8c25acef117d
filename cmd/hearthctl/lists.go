package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

func listsCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "lists [NAME]",
		Short: "Print the shopping list and the others, or one of them",
		Long: "Print all lists with a heading each, or the items of one, one per line, to copy or to print. " +
			"With --json all lists are printed as one object.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			lists := make(map[string][]string)
			err := c.Call(cmd, ctl.Request{Path: "/v1/lists"}, &lists, func(w io.Writer) {
				if len(args) == 0 {
					showLists(w, lists)
				}
			})
			if err != nil || len(args) == 0 || c.JSON {
				return err
			}
			items, ok := lists[strings.ToLower(args[0])]
			if !ok {
				return fmt.Errorf("nothing is on the list %q", args[0])
			}
			showItems(cmd.OutOrStdout(), "", items)
			return nil
		},
	}
}

func showLists(w io.Writer, lists map[string][]string) {
	if len(lists) == 0 {
		fmt.Fprintln(w, "all lists are empty")
	}
	for i, name := range slices.Sorted(maps.Keys(lists)) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s:\n", ctl.Visible(name))
		showItems(w, "  ", lists[name])
	}
}

func showItems(w io.Writer, indent string, items []string) {
	for _, item := range items {
		fmt.Fprintf(w, "%s%s\n", indent, ctl.Visible(item))
	}
}
