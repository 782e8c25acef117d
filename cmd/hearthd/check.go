package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hearthd/config"
	"hearthd/daemon/engines"
	"hearthd/daemon/probe"
	"hearthd/daemon/secrets"
	"hearthd/daemon/sentences"
)

// checkCommand names every mistake in the configuration.
func checkCommand(file *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check-config",
		Short: "Name every mistake in the configuration, in secrets, declared tools, wake words and sentences",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := interruptible(cmd.Context(), *file)
			if asJSON {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetIndent("", "  ")
				e.SetEscapeHTML(false)
				if err := e.Encode(list); err != nil {
					return err
				}
			} else if err == nil {
				cmd.Println("the configuration is good")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the mistakes as JSON too, on standard output; a list")
	return cmd
}

// graceful is how long a check that was interrupted may take to clean up.
const graceful = time.Second

// interruptible runs check until a signal ends ctx, even if a file that it reads never becomes
// ready.
func interruptible(ctx context.Context, file string) ([]mistake, error) {
	type result struct {
		list []mistake
		err  error
	}
	done := make(chan result, 1)
	go func() { // ends with the process
		list, err := check(ctx, file)
		done <- result{list, err}
	}()
	select {
	case r := <-done:
		return r.list, r.err
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(graceful):
	}
	return []mistake{}, fmt.Errorf("check configuration: %w", context.Cause(ctx))
}

// mistake is one as JSON. Of is "configuration", "secrets", "declared tools", "wake
// words or detector" or "sentences"; File, Line and Key are there where they are known.
type mistake struct {
	Of     string `json:"of"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Key    string `json:"key,omitempty"`
	Reason string `json:"reason"`
}

// check reads the configuration and the files that it names.
func check(ctx context.Context, file string) ([]mistake, error) {
	list := []mistake{}
	c, err := load(file)
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		for _, p := range problems {
			list = append(list, mistake{Of: "configuration", File: p.File, Line: p.Line, Key: p.Key, Reason: p.Reason})
		}
		return list, err
	case err != nil:
		return append(list, mistake{Of: "configuration", Reason: err.Error()}), err
	}
	state, _, err := folders()
	if err != nil {
		return list, err
	}
	var all []error
	for _, of := range []struct {
		what     string
		mistakes []error
	}{
		{"secrets", secrets.Check(&c)},
		{"declared tools", probe.Tools(c.Tools.Dir)},
		{"wake words or detector", engines.CheckEars(&c, state)},
		{"sentences", sentences.Check(ctx, &c)},
	} {
		if len(of.mistakes) > 0 {
			all = append(all, fmt.Errorf("mistakes in %s:\n%w", of.what, errors.Join(of.mistakes...)))
		}
		for _, m := range of.mistakes {
			list = append(list, mistake{Of: of.what, Reason: m.Error()})
		}
	}
	if len(all) > 0 {
		return list, badConfig{errors.Join(all...)}
	}
	return list, nil
}

// sentencesCommand serves hearthctl intents check, which has no recogniser.
func sentencesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check-sentences DIR LANGUAGE",
		Short: "Name every sentence of a folder that is left out or can only be typed, as JSON",
		Args:  cobra.ExactArgs(2), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c := config.Default()
			c.Tools.Intents.Dir, c.Tools.Intents.Language = args[0], args[1]
			list := []string{}
			for _, err := range sentences.Check(cmd.Context(), &c) {
				list = append(list, err.Error())
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(list)
		},
	}
}
