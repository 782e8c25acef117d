package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// drain is how long Finish waits for pipes that a stray descendant holds open
// after the process group was killed.
const drain = 500 * time.Millisecond

// Group prepares a program that runs in the root folder, with no environment but env, in a process
// group of its own, which is killed as a whole when ctx ends. The caller sets the streams, starts
// it, and hands it to Finish.
func Group(ctx context.Context, argv, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = "/", env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return kill(cmd) }
	cmd.WaitDelay = drain
	return cmd
}

// Finish waits until a program of Group has ended, kills what it left behind in its group, and
// returns how it ended: an *exec.ExitError for a status other than 0.
func Finish(cmd *exec.Cmd) error {
	awaitExit(cmd)
	// Before it is reaped the program's id cannot be another's, so this ends
	// what it left behind in its group and nothing else.
	killed := kill(cmd)
	if errors.Is(killed, os.ErrProcessDone) {
		killed = nil
	}
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // the program itself succeeded
	}
	return errors.Join(err, killed)
}

// kill ends the whole group of a program that has been started and not reaped.
func kill(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// awaitExit returns when the program has exited, and leaves it to be reaped.
func awaitExit(cmd *exec.Cmd) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return // any other error shows in Wait
		}
	}
}

// Inherit is what programs see of hearthd's environment, and added: PATH, HOME,
// LANG and TZ.
func Inherit(added ...string) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "LANG", "TZ"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, added...)
}
