// Command hearth-speech is a Wyoming server that recognises and makes speech with the models below
// /var/lib/hearth-speech.
//
// Exit status: 0 after a clean stop and when nobody needed it for a while, 78 when the library cannot be used
// (systemd does not restart it then), 1 for everything else.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hearthd/speech/model"
	"hearthd/speech/server"
	"hearthd/speech/shelf"
	"hearthd/speech/sherpa"
	"hearthd/systemd"
)

// version is set by the build.
var version = "development"

const (
	// idleModel is how long a model stays loaded that nobody uses, and idleServer how long the process of a
	// socket unit stays.
	idleModel  = 10 * time.Minute
	idleServer = 30 * time.Minute
	// models are loaded at a time: one that hears, one that speaks, one that tells voices apart, one that waits for
	// phrases, and one that takes the place of any.
	models = 5
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := root(os.Stdout).ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hearth-speech:", err)
		if errors.Is(err, errLibrary) {
			os.Exit(exitConfig)
		}
		os.Exit(1) // also when an engine hangs, whose thread cannot be ended otherwise
	}
}

// exitConfig is EX_CONFIG of sysexits.h.
const exitConfig = 78

// errLibrary says that there is no library, or not the one that is known.
var errLibrary = errors.New("the speech library cannot be used")

// unusable says what to do about a library that cannot be loaded from a folder.
func unusable(folder string, err error) error {
	if shut := closed(filepath.Join(folder, "any")); shut != "" {
		return fmt.Errorf("%w: the account with the id %d may not enter the folder %s; \"chmod a+x %s\" lets it",
			errLibrary, os.Geteuid(), shut, shut)
	}
	return fmt.Errorf("%w: %w: run \"hearthctl speech install\"", errLibrary, err)
}

// closed is the folder on the way to a file that this account may not enter, or nothing.
func closed(path string) string {
	dir := filepath.Dir(path)
	if dir == path {
		return ""
	}
	if shut := closed(dir); shut != "" {
		return shut
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrPermission) {
		return dir
	}
	return ""
}

// options are the flags.
type options struct {
	state   string
	listen  []string
	threads int
}

func root(out io.Writer) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use: "hearth-speech", Short: "A Wyoming server that recognises and makes speech", Version: version,
		Args: cobra.NoArgs, SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	cmd.SetOut(out)
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.Flags().StringVar(&o.state, "state", model.State, "`folder` of the library and the models")
	cmd.Flags().StringArrayVar(&o.listen, "listen", nil, "`address` to serve at, host:port or unix:/path, instead of"+
		" the sockets of systemd; may be given several times")
	cmd.Flags().IntVar(&o.threads, "threads", min(4, runtime.NumCPU()), "`number` of threads of a model")
	return cmd
}

func run(ctx context.Context, o options) error {
	log := systemd.NewLogger(systemd.LogOptions{Identifier: "hearth-speech", Level: slog.LevelInfo, Stderr: os.Stderr,
		Journal: systemd.JournalSocket})
	if o.threads < 1 || o.threads > 64 {
		return fmt.Errorf("--threads %d: want 1 to 64", o.threads)
	}
	limits := server.DefaultLimits()
	listeners, err := listen(o.listen)
	if err != nil {
		return err
	}
	if len(o.listen) == 0 {
		limits.Idle = idleServer // the next one who connects starts it
	}
	lib := filepath.Join(o.state, model.LibFolder)
	library, err := sherpa.Open(lib)
	if err != nil {
		return errors.Join(unusable(lib, err), shut(listeners))
	}
	kept := shelf.New(shelf.Options{Library: loader{library}, State: o.state, Threads: o.threads, Most: models,
		Idle: idleModel, Log: log})
	s, err := server.New(server.Options{Shelf: kept, Version: version, Limits: limits, Log: log})
	if err != nil {
		return errors.Join(err, shut(listeners))
	}
	ctx, cancel := context.WithCancel(ctx)
	unloads := make(chan error, 1)
	go func() { unloads <- kept.Run(ctx) }()
	log.Info("serving", "version", version, "state", o.state)
	err = s.Run(ctx, listeners...)
	cancel()
	if err != nil {
		return err // an engine may hang, and what it holds with it
	}
	return <-unloads
}

// listen opens the addresses, or takes over what systemd passed.
func listen(addresses []string) (ls []net.Listener, err error) {
	if len(addresses) == 0 {
		passed, err := systemd.Passed()
		for _, l := range passed.Listeners {
			ls = append(ls, l)
		}
		if err == nil && len(ls) == 0 {
			err = errors.New("neither --listen nor a socket of systemd says where to serve")
		}
		return ls, err
	}
	for _, a := range addresses {
		network, place := "tcp", strings.TrimPrefix(a, "tcp://")
		if path, unix := strings.CutPrefix(a, "unix:"); unix {
			network, place = "unix", path
		}
		if network == "unix" {
			removeStale(place)
		}
		l, err := net.Listen(network, place)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("listen: %w", err), shut(ls))
		}
		ls = append(ls, l)
	}
	return ls, nil
}

// removeStale removes a socket that a killed process has left. What it cannot remove, net.Listen complains of.
func removeStale(path string) {
	c, err := net.Dial("unix", path)
	if err == nil {
		_ = c.Close() // another one serves there
		return
	}
	if info, statErr := os.Lstat(path); statErr == nil && info.Mode().Type() == fs.ModeSocket &&
		errors.Is(err, syscall.ECONNREFUSED) {
		_ = os.Remove(path)
	}
}

func shut(ls []net.Listener) (err error) {
	for _, l := range ls {
		err = errors.Join(err, l.Close())
	}
	return err
}

// loader is the library as a shelf takes it.
type loader struct{ *sherpa.Library }

func (l loader) Recogniser(m *model.Manifest, language string, threads int) (shelf.Recogniser, error) {
	r, err := l.Library.Recogniser(m, language, threads)
	return recogniser{r}, err
}

func (l loader) Voice(m *model.Manifest, threads int) (shelf.Voice, error) {
	return l.Library.Voice(m, threads)
}

func (l loader) Printer(m *model.Manifest, threads int) (shelf.Printer, error) {
	return l.Library.Printer(m, threads)
}

func (l loader) Spotter(m *model.Manifest, phrases []model.Phrase, threads int) (shelf.Spotter, error) {
	s, err := l.Library.Spotter(m, phrases, threads)
	return spotter{s}, err
}

type spotter struct{ *sherpa.Spotter }

func (s spotter) Open() (shelf.Watch, error) { return s.Spotter.Open() }

type recogniser struct{ *sherpa.Recogniser }

func (r recogniser) Open(hotWords []string) (shelf.Utterance, error) {
	return r.Recogniser.Open(hotWords)
}
