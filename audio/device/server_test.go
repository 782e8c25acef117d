package device

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// serverPCM is the name of a sound server's microphone and speaker, and
// serverSocket the name of its socket in the folder of the card.
const (
	serverPCM    = "server"
	serverSocket = "server.socket"
)

// addServer lets ALSA find a PulseAudio that has its socket in dir.
func addServer(dir string) error {
	conf, err := os.OpenFile(filepath.Join(dir, "asound.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { _ = conf.Close() }()
	_, err = conf.WriteString("pcm." + serverPCM + " {\n\ttype pulse\n\tserver \"unix:" +
		filepath.Join(dir, serverSocket) + "\"\n}\n")
	return err
}

// startServer runs a PulseAudio until it is killed. What its microphone hears is
// what its speaker plays: silence.
func startServer(t *testing.T) *exec.Cmd {
	t.Helper()
	dir := filepath.Dir(card.SpeakerPath())
	socket := filepath.Join(dir, serverSocket)
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		t.Fatal(err) // of a server that was killed
	}
	cmd := exec.Command("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
		"--disable-shm=yes",
		"-L", "module-null-sink sink_name=room", "-L", "module-native-protocol-unix auth-anonymous=1 socket="+socket)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_RUNTIME_DIR="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killServer(cmd)
		if t.Failed() {
			t.Logf("PulseAudio said:\n%s", said.Bytes())
		}
	})
	awaitTrue(t, func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return cmd
}

func killServer(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may be dead already
	_ = cmd.Wait()
}

func TestCaptureComesBackAfterItsSoundServer(t *testing.T) {
	if _, err := exec.LookPath("pulseaudio"); err != nil {
		t.Skipf("packaging/deps.sh test installs it: %v", err)
	}
	first := startServer(t)
	r := newRunning(t)
	c, err := NewCapture(CaptureOptions{Device: serverPCM, Log: quietLog(), Changed: r.changed})
	if err != nil {
		t.Fatal(err)
	}
	r.start(c.Run)
	r.await(Running)
	if !soundServer() {
		t.Error("the plugin of PulseAudio is not found")
	}
	listen(t, r.ctx, c, 0.1)

	begun, cpu := time.Now(), cpuTime(t)
	killServer(first)
	t.Logf("after %v: %v", time.Since(begun), r.await(Lost, Muted, Opening).Err)
	t.Log("opened in vain:", r.await(Lost, Muted, Opening, Running).Err)
	t.Logf("processor meanwhile: %.0f %%", 100*(cpuTime(t)-cpu).Seconds()/time.Since(begun).Seconds())

	begun = time.Now()
	startServer(t)
	r.await(Running, Muted, Opening)
	t.Logf("healed after %v", time.Since(begun))
	passGap(t, r.ctx, c)
	listen(t, r.ctx, c, 0.1)
	r.end()
}
