package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the man pages; the package build calls it.
func manCommand(*ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:    "gen-man DIR",
		Short:  "Write the man pages of hearthctl",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make folder: %w", err)
			}
			day, err := buildDay()
			if err != nil {
				return err
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			for _, c := range root.Commands() {
				c.Hidden = c.Hidden || c.Name() == "completion" // which the package has installed; Windows' too
			}
			return doc.GenManTree(root, &doc.GenManHeader{
				Title: "HEARTHCTL", Section: "1", Source: "hearthd", Manual: "hearthd", Date: &day,
			}, args[0])
		},
	}
}

// buildDay is SOURCE_DATE_EPOCH, so that a rebuilt package is the same.
func buildDay() (time.Time, error) {
	s := os.Getenv("SOURCE_DATE_EPOCH")
	if s == "" {
		return time.Now().UTC(), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("read SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(n, 0).UTC(), nil
}
