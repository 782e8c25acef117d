// Command hearthd is the kitchen speaker daemon.
//
// Exit status: 0 after a clean stop, 75 when a restart was asked for, 78 when the configuration is bad
// and none has held before (systemd does not restart it then), 1 for everything else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"hearthd/config"
	"hearthd/daemon"
	"hearthd/daemon/doctor"
	"hearthd/daemon/probe"
	"hearthd/daemon/state"
	"hearthd/systemd"
)

// version is set by the build.
var version = "development"

// exitConfig is EX_CONFIG of sysexits.h, exitRestart its EX_TEMPFAIL.
const (
	exitConfig  = 78
	exitRestart = 75
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root(os.Stdout).ExecuteContext(ctx)
	stop()
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "hearthd:", err)
	if errors.Is(err, daemon.ErrRestart) {
		os.Exit(exitRestart)
	}
	if _, ok := errors.AsType[badConfig](err); ok {
		os.Exit(exitConfig)
	}
	os.Exit(1)
}

func root(out io.Writer) *cobra.Command {
	var file string
	run := func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), file) }
	cmd := &cobra.Command{
		Use:           "hearthd",
		Short:         "The hearthd kitchen speaker daemon",
		Version:       version,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          run,
	}
	cmd.SetOut(out)
	cmd.CompletionOptions.DisableDefaultCmd = true // people type hearthctl, not hearthd
	cmd.PersistentFlags().StringVar(&file, "config", "", "configuration `file` (default "+defaultConfig+
		", if it exists)")
	cmd.AddCommand(
		&cobra.Command{Use: "run", Short: "Run the daemon (the default)", Args: cobra.NoArgs, RunE: run},
		checkCommand(&file),
		sentencesCommand(),
		&cobra.Command{
			Use: "check-memory FILE", Short: "Say whether a memory that nobody uses is intact, and bring it up to date",
			Args: cobra.ExactArgs(1),
			RunE: func(cmd *cobra.Command, args []string) error { return state.Check(cmd.Context(), args[0]) },
		},
		hearCommand(func() (config.Config, error) { return load(file) }),
		probeCommand(func() (config.Config, error) { return load(file) }),
		&cobra.Command{
			Use: "version", Short: "Print the version", Args: cobra.NoArgs,
			Run: func(cmd *cobra.Command, _ []string) { cmd.Println("hearthd", version) },
		},
	)
	return cmd
}

// oneProcessor has Go run on one processor, unless GOMAXPROCS says otherwise. The runtime polls a thread that came back
// from C for 10 ms, which with two processors or more costs several times as much as playing itself, and start to READY
// takes twice as long (make bench). Listening enters no Go from C and costs the same. One is enough: engines and models
// are other processes.
func oneProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(1)
	}
}

// smallHeap has Go collect garbage at half the usual growth of the heap, unless GOGC says otherwise. What a start leaves
// behind is full of holes that cannot be given back: about 2 MB less of them, for 60 ms of processor at the start.
func smallHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// readOrHeld reads the configuration or, where that has mistakes, what held last, which is kept in held: a
// mistake of last week must not silence a kitchen after a power cut.
func readOrHeld(src config.Source, held string) (c config.Config, origins config.Origins, mistakes, err error) {
	if c, origins, mistakes = config.Read(src); mistakes == nil {
		return c, origins, nil, nil
	}
	if c, origins, err = config.Read(src.Held(held)); err != nil {
		return c, origins, mistakes, bad(mistakes)
	}
	return c, origins, mistakes, nil
}

// hold keeps the configuration, which has no mistakes, for a start that finds some.
func hold(src config.Source, held string, log *slog.Logger) {
	if err := src.Hold(held); err != nil {
		log.Warn("hold configuration", "component", "config", "error", err)
	}
}

func run(ctx context.Context, file string) error {
	oneProcessor()
	smallHeap()
	// First of all: without it SIGHUP ends a process.
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	state, run, err := folders()
	if err != nil {
		return err
	}
	src, held := source(file), filepath.Join(state, "configuration")
	c, origins, mistakes, err := readOrHeld(src, held)
	if err != nil {
		return err
	}
	level := new(slog.LevelVar)
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return badConfig{err}
	}
	sockets, err := systemd.Passed()
	if err != nil {
		return err
	}
	watchdog, err := systemd.WatchdogInterval()
	if err != nil {
		return err
	}
	log := systemd.NewLogger(systemd.LogOptions{
		Identifier: "hearthd", Level: level, Stderr: os.Stderr, Journal: systemd.JournalSocket,
	})
	if mistakes == nil {
		hold(src, held, log)
	}
	d, err := daemon.New(daemon.Options{
		Config: c, Version: version, StateDir: state, RuntimeDir: run,
		Log:      log,
		Notifier: systemd.NewNotifier(os.Getenv("NOTIFY_SOCKET")),
		Watchdog: watchdog, Sockets: sockets,
		File: src.File, Origins: origins, Hangup: hangup, Level: level,
		Mistakes: mistakes,
		Load: func() (config.Config, config.Origins, error) {
			c, origins, err := config.Read(src)
			if err == nil {
				hold(src, held, log)
			}
			return c, origins, err
		},
		Probe: func(ctx context.Context, c *config.Config, check string, cold bool) ([]doctor.Finding, error) {
			return probe.Run(ctx, probe.Options{Config: c, Version: version, StateDir: state, RuntimeDir: run, Log: log,
				Running: true, Cold: cold}, check)
		},
	})
	if err != nil {
		return err
	}
	return d.Run(ctx)
}
