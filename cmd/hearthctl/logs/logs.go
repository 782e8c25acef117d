// Package logs shows the journal of hearthd, which it reads from journalctl.
package logs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"hearthd/cmd/hearthctl/ctl"

	"github.com/spf13/cobra"
)

const (
	// messageTurn is the MESSAGE_ID of the line that ends a turn (systemd/messages.go).
	messageTurn = "7a08a69dfaff4157af57f569c7ea82e7"
	// maxLogLine bounds one line of journalctl in bytes: JSON may need 6 bytes for one.
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
		l.print(out, e)
	}
	if n == 0 {
		return errNoLines
	}
	return nil
}

// errNoLines says why perhaps nothing was found.
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
		lines := bufio.NewScanner(pipe)
		lines.Buffer(nil, maxLogLine)
		for err == nil && lines.Scan() {
			var e logEntry
			if e, err = parseLogEntry(lines.Bytes()); err == nil && !e.chatter() && !yield(e, nil) {
				cancel() // nobody wants the rest
				_ = cmd.Wait()
				return
			}
		}
		if err = cmp.Or(err, lines.Err()); err != nil {
			cancel() // with --follow, journalctl would go on without end
		}
		if ended := cmd.Wait(); err == nil && ended != nil {
			err = fmt.Errorf("journalctl: %w; root and the group adm may read it", ended)
		}
		if err != nil {
			yield(logEntry{}, fmt.Errorf("read journal: %w", err))
		}
	}
}

// where are the arguments that every call of journalctl has.
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

// showSlow lists the turns that took longest, the slowest first.
func (l *logs) showSlow(ctx context.Context, out, stderr io.Writer) error {
	l.since = cmp.Or(l.since, "-7days")
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
		l.print(out, e)
	}
	return nil
}

func (l *logs) print(w io.Writer, e logEntry) {
	if l.json {
		fmt.Fprintf(w, "%s\n", e.raw)
	} else {
		fmt.Fprintln(w, e.line())
	}
}

func slowestOf(all []logEntry) []logEntry {
	slices.SortStableFunc(all, func(a, b logEntry) int { return int(b.waited() - a.waited()) })
	return all[:min(len(all), slowest)]
}
