package main

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hearthd/audio"
	"hearthd/llm/stt"
	"hearthd/rigs/speechtest"
)

// TestMain is the program itself where a test has started it as that.
func TestMain(m *testing.M) {
	if os.Getenv("HEARTH_SPEECH_MAIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is one of the program.
type process struct {
	cmd     *exec.Cmd
	address string
	ended   chan error
}

// start runs the program on a socket, until the test ends. prepare may change the command.
func start(t *testing.T, state string, prepare func(*exec.Cmd)) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "s")
	cmd := exec.Command(self, "--state", state, "--listen", "unix:"+path, "--threads", "1")
	cmd.Env = append(os.Environ(), "HEARTH_SPEECH_MAIN=1")
	if prepare != nil {
		prepare(cmd)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &process{cmd: cmd, address: "unix:" + path, ended: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ended <- cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // unless it has ended
		<-done
	})
	return s
}

// open begins an utterance, once the process listens.
func (s *process) open(t *testing.T) stt.Stream {
	t.Helper()
	w, err := stt.NewWyoming(stt.WyomingOptions{Address: s.address, Model: speechtest.Hearer})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		st, err := w.Open(t.Context())
		if err == nil {
			t.Cleanup(func() { st.Close() })
			return st
		}
	}
	t.Fatal("the server does not listen")
	return nil
}

// hum is two seconds of a loud square wave of 250 Hz.
func hum(t *testing.T, s stt.Stream) error {
	t.Helper()
	var f audio.Frame
	for i := range f {
		f[i] = 20000
		if i/32%2 == 0 {
			f[i] = -20000
		}
	}
	for range 100 {
		if err := s.Write(&f); err != nil {
			return err
		}
	}
	return nil
}

func TestProgramHears(t *testing.T) {
	p := start(t, speechtest.Folder(t, speechtest.Hearer), nil)
	s := p.open(t)
	if err := hum(t, s); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Finish(t.Context()); got.Text != speechtest.Loud || err != nil {
		t.Errorf("heard %q, %v", got.Text, err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-p.ended; err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}

// TestEngineThatCrashesEndsItsProcessAndTheClientKnows is what hearthd rests on: it learns at once that the words
// will not come. The unit starts the next process.
func TestEngineThatCrashesEndsItsProcessAndTheClientKnows(t *testing.T) {
	p := start(t, speechtest.Folder(t, speechtest.Hearer), nil)
	s := p.open(t)
	if err := hum(t, s); err != nil {
		t.Fatal(err)
	}
	for { // the model is loaded
		if _, err := s.(stt.Peeker).Peek(t.Context(), nil); !errors.Is(err, stt.ErrNoPeek) {
			break
		}
	}
	if err := p.cmd.Process.Signal(syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	if err := <-p.ended; err == nil {
		t.Error("a crash is a clean end")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got, err := s.Finish(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("heard %q, %v", got.Text, err)
	}
}

// TestEngineWithoutMemoryEndsItsProcess bounds the address space, where a unit bounds the memory: a library that
// cannot be loaded, or a model, is told, or ends the process, and the client is not left waiting.
func TestEngineWithoutMemoryEndsItsProcess(t *testing.T) {
	state := speechtest.Folder(t, speechtest.Whisper)
	self, err := exec.LookPath("prlimit")
	if err != nil {
		t.Skip("no prlimit here")
	}
	p := start(t, state, func(cmd *exec.Cmd) {
		cmd.Args = append([]string{self, "--data=167772160", cmd.Path}, cmd.Args[1:]...)
		cmd.Path = self
	})
	w, err := stt.NewWyoming(stt.WyomingOptions{Address: p.address, Model: speechtest.Whisper})
	if err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case err := <-p.ended:
			if err == nil {
				t.Error("a process without memory ends well")
			}
			return
		default:
		}
		s, err := w.Open(t.Context())
		if err != nil {
			continue // it does not listen yet, or any more
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_ = hum(t, s)
		got, err := s.Finish(ctx)
		if err == nil || ctx.Err() != nil {
			t.Errorf("heard %q, %v", got.Text, err)
		}
		cancel()
		s.Close()
		return
	}
}

func TestProgramWithoutItsLibrarySaysWhatToDo(t *testing.T) {
	var said strings.Builder
	p := start(t, t.TempDir(), func(cmd *exec.Cmd) { cmd.Stderr = &said })
	var exit *exec.ExitError
	if err := <-p.ended; !errors.As(err, &exit) || exit.ExitCode() != exitConfig ||
		!strings.Contains(said.String(), "hearthctl speech install") {
		t.Errorf("%v: %s", err, said.String())
	}
}

// TestProgramThatMayNotReadItsFolderNamesIt runs it as nobody, as hearthctl does for root.
func TestProgramThatMayNotReadItsFolderNamesIt(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another account")
	}
	state, err := os.MkdirTemp("", "hearth-speech-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(state) })
	self, err := os.ReadFile("/proc/self/exe") // of which the folder is open to root only
	if err := errors.Join(err, os.MkdirAll(state+"/in/lib", 0o755), os.Chmod(state, 0o711), os.Chmod(state+"/in", 0o700),
		os.WriteFile(state+"/hearth-speech", self, 0o755)); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	p := start(t, state+"/in", func(cmd *exec.Cmd) {
		cmd.Path, cmd.Args[4], cmd.Stderr = state+"/hearth-speech", "127.0.0.1:0", &said
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	})
	var exit *exec.ExitError
	if err := <-p.ended; !errors.As(err, &exit) || exit.ExitCode() != exitConfig || !strings.Contains(said.String(),
		"the account with the id 65534 may not enter the folder "+state+"/in;") {
		t.Errorf("%v: %s", err, said.String())
	}
}

func TestASocketOfAKilledProcessIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false) // as after kill -9
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	ls, err := listen([]string{"unix:" + path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := listen([]string{"unix:" + path}); err == nil {
		t.Error("the socket of one that serves was taken over")
	}
	if err := shut(ls); err != nil {
		t.Error(err)
	}
}
