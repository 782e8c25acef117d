package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/refusal"
)

const (
	// forgetLimit is long enough to erase every copy on a slow card.
	forgetLimit = time.Minute
	exportLimit = 10 * time.Minute
	// importBatch is how many entries go into one request, and maxEntry the bytes
	// of one: together below what the API takes.
	importBatch = 20
	maxEntry    = 16 << 10
)

// aboutPerson is what an entry says of a person, in a line.
func aboutPerson(e *api.Memory) string {
	var all []string
	for _, l := range []struct{ name, value string }{
		{"called", e.Called}, {"place", e.Place}, {"units", e.Units}, {"stocks", strings.Join(e.Tickers, ", ")},
		{"topics", strings.Join(e.Topics, ", ")}, {"summary", e.Text},
	} {
		if l.value != "" {
			all = append(all, l.name+" "+l.value)
		}
	}
	switch {
	case e.Sessions == 1:
		all = append(all, "1 session")
	case e.Sessions > 0:
		all = append(all, fmt.Sprintf("%d sessions", e.Sessions))
	}
	return strings.Join(all, "; ")
}

func memoryCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "See, take along and erase what is remembered",
		Long: "See, take along and erase what is remembered: notes, facts, and what is known of people.\n" +
			"What is forgotten is gone from the files, backups included, when the command ends.",
	}
	cmd.AddCommand(memoryListCommand(c), memorySearchCommand(c), memoryExportCommand(c), memoryImportCommand(c),
		memoryForgetCommand(c))
	return cmd
}

func memoryListCommand(c *ctl.Client) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List what is remembered, the newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return remembered(c, cmd, "", limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "entries at most, 1 to 1000")
	return cmd
}

func memorySearchCommand(c *ctl.Client) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "search TEXT...", Short: "Find notes, the best first", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return remembered(c, cmd, strings.Join(args, " "), limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "entries at most, 1 to 1000")
	return cmd
}

func remembered(c *ctl.Client, cmd *cobra.Command, search string, limit int) error {
	q := url.Values{"limit": {strconv.Itoa(limit)}}
	if search != "" {
		q.Set("search", search)
	}
	var list []api.Memory
	return c.Call(cmd, ctl.Request{Path: "/v1/memory?" + q.Encode()}, &list, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintln(w, "nothing")
		}
		for _, e := range list {
			showEntry(w, e)
		}
	})
}

func showEntry(w io.Writer, e api.Memory) {
	text := ctl.Visible(e.Text)
	if e.Kind == "person" {
		text = ctl.Visible(aboutPerson(&e))
	}
	if e.Name != "" {
		text = ctl.Visible(e.Name) + ": " + text
	}
	if e.Person != "" {
		text = ctl.Visible(e.Person) + ", " + text
	}
	where := ctl.Visible(e.Kind)
	if e.ID != 0 {
		where += fmt.Sprintf(" %d", e.ID)
	}
	if !e.Time.IsZero() {
		where += ", " + e.Time.Local().Format(time.DateOnly)
	}
	fmt.Fprintf(w, "%s: %s\n", where, text)
}

func memoryExportCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Write all that is remembered to standard output, one JSON object a line",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), exportLimit)
			defer cancel()
			rc, err := c.Open(ctx, "/v1/memory/export", nil)
			if err != nil {
				return err
			}
			defer rc.Close()
			return eachLine(rc, func(line []byte) error {
				var failed refusal.Failure
				if err := json.Unmarshal(line, &failed); err != nil {
					return fmt.Errorf("read answer: %w", err)
				}
				if failed.Error != "" {
					return errors.New(ctl.Visible(failed.Error))
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line)
				return err
			})
		},
	}
}

// eachLine calls fn with every line that is not empty.
func eachLine(r io.Reader, fn func([]byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, maxEntry), maxEntry)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := fn(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read lines: %w", err)
	}
	return nil
}

func memoryImportCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use: "import [FILE]", Short: "Add what an export wrote, from a file or standard input",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in := cmd.InOrStdin()
			if len(args) == 1 {
				f, err := os.Open(args[0])
				if err != nil {
					return fmt.Errorf("import: %w", err)
				}
				defer f.Close()
				in = f
			}
			return importFrom(c, cmd, in)
		},
	}
}

func importFrom(c *ctl.Client, cmd *cobra.Command, in io.Reader) error {
	line, total := 0, 0
	var batch []api.Memory
	send := func() error {
		if len(batch) == 0 {
			return nil
		}
		var done api.Counted
		err := c.Ask(cmd.Context(), ctl.Request{Path: "/v1/memory/import", Body: api.Import{Entries: batch}}, &done)
		total += done.Entries
		batch = batch[:0]
		return err
	}
	size := 0
	err := eachLine(in, func(text []byte) error {
		line++
		var e api.Memory
		if err := json.Unmarshal(text, &e); err != nil {
			return fmt.Errorf("import line %d: %w", line, err)
		}
		if size += len(text); len(batch) >= importBatch || size > maxEntry/2 {
			if err := send(); err != nil {
				return fmt.Errorf("import up to line %d: %w", line-1, err)
			}
			size = len(text)
		}
		batch = append(batch, e)
		return nil
	})
	if err == nil {
		err = send()
	}
	if err != nil {
		return err
	}
	return c.Print(cmd, api.Counted{Entries: total}, func(w io.Writer) { fmt.Fprintln(w, entries(total)) })
}

func memoryForgetCommand(c *ctl.Client) *cobra.Command {
	var body api.Forget
	cmd := &cobra.Command{
		Use:   "forget [TEXT...]",
		Short: "Erase what has a text in it, notes by their number, or everything",
		Long: "Erase what has a text in it, notes by their number, or everything. Every copy of the memory in the state\n" +
			"folder goes with it, also the backup that an upgrade kept for the way back (hearthd(8), UPGRADES).",
		RunE: func(cmd *cobra.Command, args []string) error {
			body.About = strings.Join(args, " ")
			chosen := 0
			for _, is := range []bool{body.About != "", len(body.Notes) > 0, body.Everything} {
				if is {
					chosen++
				}
			}
			if chosen != 1 {
				return errors.New("say one of a text, --note and --everything")
			}
			var done api.Counted
			return c.Call(cmd, ctl.Request{Path: "/v1/memory/forget", Limit: forgetLimit, Body: body}, &done,
				func(w io.Writer) {
					fmt.Fprintln(w, entries(done.Entries), "forgotten")
					if done.Upgrade {
						fmt.Fprintln(w, "The backup that the last upgrade kept may hold it and is deleted too: the way back in "+
							"hearthd(8) ends without it now.")
					}
				})
		},
	}
	cmd.Flags().Int64SliceVar(&body.Notes, "note", nil, "`number` of a note, as list shows it")
	cmd.Flags().BoolVar(&body.Everything, "everything", false, "all notes, facts, turns and people")
	return cmd
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprint(n, " entries")
}
