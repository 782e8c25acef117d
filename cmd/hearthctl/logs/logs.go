// Package logs shows the journal of hearthd, which it reads from journalctl.
package logs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

const (
	// messageTurn is the MESSAGE_ID of the line that ends a turn (systemd/messages.go).
	messageTurn = "7a08a69dfaff4157af57f569c7ea82e7"
	// maxLogLine bounds one line of journalctl in bytes: JSON makes up to 6 of a byte.
	maxLogLine = 1 << 20
	// slowest is how many turns --slow lists, of at most maxTurns.
	slowest  = 10
	maxTurns = 100_000
	// stopLimit is how long journalctl may take to end.
	stopLimit = 2 * time.Second
)

// logs is one call of hearthctl logs.
type logs struct {
	turn              uint64
	last, slow        bool
	follow            bool
	lines             int
	since, unit, file string
	json              bool
}

func Command(c *ctl.Client) *cobra.Command {
	l := &logs{}
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "Show the journal of hearthd, one turn of it, or the slowest turns",
		Long: `Show the journal of hearthd, one turn of it, or the slowest turns.

It reads what journalctl -o json gives, and so needs the right to read the journal:
root, or a member of the group adm or systemd-journal. With --json each line is an
entry as journalctl gives it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l.json = c.JSON
			err := l.run(cmd)
			if l.follow && cmd.Context().Err() != nil {
				return nil // interrupting is how one leaves
			}
			return err
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&l.turn, "turn", 0, "show all lines of turn `number`")
	f.BoolVar(&l.last, "last", false, "show all lines of the last turn")
	f.BoolVar(&l.slow, "slow", false, fmt.Sprintf("list the %d turns that took longest to the first sound, with their "+
		"stages", slowest))
	f.BoolVarP(&l.follow, "follow", "f", false, "go on until interrupted")
	f.IntVarP(&l.lines, "lines", "n", 100, "show the last `number` of lines")
	f.StringVar(&l.since, "since", "", "begin at `time`, as journalctl takes it (default with --slow: -7days)")
	f.StringVar(&l.unit, "unit", "hearthd", "systemd `unit`")
	f.StringVar(&l.file, "file", "", "read this journal `file`")
	cmd.MarkFlagsMutuallyExclusive("turn", "last", "slow")
	cmd.MarkFlagsMutuallyExclusive("follow", "last")
	cmd.MarkFlagsMutuallyExclusive("follow", "slow")
	return cmd
}

func (l *logs) run(cmd *cobra.Command) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	var life []string
	switch {
	case l.slow:
		return l.showSlow(ctx, out, cmd.ErrOrStderr())
	case l.last:
		for e, err := range l.read(ctx, cmd.ErrOrStderr(), "-n", "1", "MESSAGE_ID="+messageTurn) {
			if err != nil {
				return err
			}
			if l.turn, err = strconv.ParseUint(e.field("turn"), 10, 64); err != nil {
				return fmt.Errorf("read number of the last turn: %w", err)
			}
			// Turns are counted from 1 again where the memory was lost.
			if id := e.value("_SYSTEMD_INVOCATION_ID"); id != "" {
				life = []string{"_SYSTEMD_INVOCATION_ID=" + id}
			}
		}
		if l.turn == 0 {
			return errNoLines
		}
	}
	var args []string
	if l.turn != 0 {
		args = append(life, "HEARTHD_TURN="+strconv.FormatUint(l.turn, 10))
	} else if l.since == "" || l.follow {
		args = []string{"-n", strconv.Itoa(l.lines)}
	}
	if l.follow {
		args = append(args, "--follow")
	}
	n := 0
	for e, err := range l.read(ctx, cmd.ErrOrStderr(), args...) {
		if err != nil {
			return err
		}
		n++
		if l.json {
			fmt.Fprintf(out, "%s\n", e.raw)
			continue
		}
		fmt.Fprintln(out, e.line())
	}
	if n == 0 {
		return errNoLines
	}
	return nil
}

// errNoLines says what may be the reason why nothing was found.
var errNoLines = errors.New("the journal shows no such lines; reading it needs root or the group adm, and old " +
	"lines are dropped (journalctl --disk-usage)")

// read runs journalctl and gives its entries. The sequence ends after the first error.
func (l *logs) read(ctx context.Context, stderr io.Writer, args ...string) iter.Seq2[logEntry, error] {
	return func(yield func(logEntry, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		cmd := exec.CommandContext(ctx, "journalctl", append(l.where(), args...)...)
		cmd.Stderr, cmd.WaitDelay = stderr, stopLimit
		pipe, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.New("there is no journalctl: without systemd hearthd writes its lines to standard error")
		}
		if err != nil {
			yield(logEntry{}, fmt.Errorf("read journal: %w", err))
			return
		}
		more, err := logEntries(pipe, yield)
		if !more {
			cancel() // nobody wants the rest
		}
		if ended := cmd.Wait(); err == nil && more && ended != nil {
			err = fmt.Errorf("journalctl: %w; root and the group adm may read it", ended)
		}
		if err != nil && more {
			yield(logEntry{}, fmt.Errorf("read journal: %w", err))
		}
	}
}

// where is what every call of journalctl has in common.
func (l *logs) where() []string {
	args := []string{"--output=json", "--no-pager", "--quiet", "--unit=" + l.unit}
	if l.file != "" {
		args = append(args, "--file="+l.file)
	}
	if l.since != "" {
		args = append(args, "--since="+l.since)
	}
	return args
}

// logEntries yields the lines of r. more is whether the rest was wanted too.
func logEntries(r io.Reader, yield func(logEntry, error) bool) (more bool, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLogLine)
	for lines.Scan() {
		e, err := parseLogEntry(lines.Bytes())
		if err != nil {
			return true, err
		}
		if !yield(e, nil) {
			return false, nil
		}
	}
	return true, lines.Err()
}

// showSlow lists the turns that took longest, the slowest first.
func (l *logs) showSlow(ctx context.Context, out, stderr io.Writer) error {
	if l.since == "" {
		l.since = "-7days"
	}
	var all []logEntry
	for e, err := range l.read(ctx, stderr, "-n", strconv.Itoa(maxTurns), "MESSAGE_ID="+messageTurn) {
		if err != nil {
			return err
		}
		if e.field("source") == "announcement" {
			continue // nobody waited for it
		}
		all = append(all, e)
		if len(all) > 2*slowest {
			all = slowestOf(all)
		}
	}
	if all = slowestOf(all); len(all) == 0 {
		return errNoLines
	}
	for _, e := range all {
		if l.json {
			fmt.Fprintf(out, "%s\n", e.raw)
		} else {
			fmt.Fprintln(out, e.line())
		}
	}
	return nil
}

func slowestOf(all []logEntry) []logEntry {
	slices.SortStableFunc(all, func(a, b logEntry) int { return int(b.waited() - a.waited()) })
	return all[:min(len(all), slowest)]
}

// logEntry is one line of the journal.
type logEntry struct {
	raw    json.RawMessage
	fields map[string]json.RawMessage
}

// parseLogEntry reads a line of journalctl -o json. The entry keeps a copy.
func parseLogEntry(line []byte) (logEntry, error) {
	e := logEntry{raw: slices.Clone(line)}
	if err := json.Unmarshal(e.raw, &e.fields); err != nil {
		return e, fmt.Errorf("read entry: %w", err)
	}
	return e, nil
}

// texts are the values of a field. journalctl writes a text as a string, what is no
// text as a list of bytes, null for what is too long, and a list of these for a field
// that stands in the entry more than once.
func texts(raw json.RawMessage) []string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []string{s}
	}
	var b []byte
	var numbers []uint8
	if json.Unmarshal(raw, &numbers) == nil {
		b = append(b, numbers...)
		return []string{string(b)}
	}
	var many []json.RawMessage
	var list []string
	if json.Unmarshal(raw, &many) == nil {
		for _, m := range many {
			if json.Unmarshal(m, &s) == nil {
				list = append(list, s)
			}
		}
	}
	return list
}

// field is the first value of one of hearthd's own fields, made fit for a terminal.
func (e logEntry) field(key string) string { return e.value("HEARTHD_" + strings.ToUpper(key)) }

func (e logEntry) value(name string) string {
	if t := texts(e.fields[name]); len(t) > 0 {
		return ctl.Visible(t[0])
	}
	return ""
}

// waited is how long a person waited for the first sound, or, where there was none,
// for the end, in milliseconds.
func (e logEntry) waited() int64 {
	for _, key := range []string{"first_sound_ms", "took_ms"} {
		if n, err := strconv.ParseInt(e.field(key), 10, 32); err == nil && n > 0 {
			return n
		}
	}
	return 0
}
