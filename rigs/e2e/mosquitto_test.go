package e2e

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The household's broker asks for these.
const (
	brokerUser     = "kitchen"
	brokerPassword = "salt and pepper"
)

// mosquitto is a real broker with TLS and a password, as households run it.
type mosquitto struct {
	t     testing.TB
	dir   string
	port  string
	plain string // without TLS
	cmd   *exec.Cmd
}

func newMosquitto(t testing.TB, dir string) *mosquitto {
	t.Helper()
	port, err := freePort()
	check(t, err)
	plain, err := freePort()
	check(t, err)
	b := &mosquitto{t: t, dir: filepath.Join(dir, "mosquitto"), port: port, plain: plain}
	check(t, os.Mkdir(b.dir, 0o700))
	b.certify()
	out, err := exec.Command("mosquitto_passwd", "-c", "-b", b.path("passwords"), brokerUser, brokerPassword).CombinedOutput()
	if err != nil {
		t.Fatalf("mosquitto_passwd: %v: %s", err, out)
	}
	check(t, os.WriteFile(b.path("secret"), []byte(brokerPassword+"\n"), 0o600))
	me, err := user.Current() // mosquitto would give up root, and with it these files
	check(t, err)
	check(t, os.WriteFile(b.path("mosquitto.conf"), fmt.Appendf(nil,
		"user %s\nlistener %s 127.0.0.1\ncertfile %s\nkeyfile %s\nallow_anonymous false\npassword_file %s\n"+
			"listener %s 127.0.0.1\n",
		me.Username, port, b.path("broker.pem"), b.path("broker.key"), b.path("passwords"), plain), 0o600))
	b.start()
	t.Cleanup(b.kill)
	return b
}

func (b *mosquitto) path(name string) string { return filepath.Join(b.dir, name) }

func (b *mosquitto) start() {
	b.t.Helper()
	b.cmd = exec.Command("mosquitto", "-c", b.path("mosquitto.conf"))
	check(b.t, b.cmd.Start())
	for end := time.Now().Add(patience); ; {
		c, err := net.Dial("tcp", "127.0.0.1:"+b.port)
		if err == nil {
			check(b.t, c.Close())
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("mosquitto does not answer: %v", err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// kill ends the broker without a word to anybody.
func (b *mosquitto) kill() {
	_ = b.cmd.Process.Kill() // may have ended
	_ = b.cmd.Wait()         // killed
}

// environ makes hearthd use this broker.
func (b *mosquitto) environ() []string {
	return []string{
		"HEARTHD_MQTT_BROKER=mqtts://localhost:" + b.port, "HEARTHD_MQTT_CA_FILE=" + b.path("ca.pem"),
		"HEARTHD_MQTT_USER=" + brokerUser, "HEARTHD_MQTT_PASSWORD=file:" + b.path("secret"),
	}
}

// certify makes an authority and a certificate for localhost.
func (b *mosquitto) certify() {
	b.t.Helper()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "house authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	broker := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(b.t, err)
	brokerKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(b.t, err)
	b.certificate("ca.pem", authority, authority, &authorityKey.PublicKey, authorityKey)
	b.certificate("broker.pem", broker, authority, &brokerKey.PublicKey, authorityKey)
	der, err := x509.MarshalPKCS8PrivateKey(brokerKey)
	check(b.t, err)
	b.pem("broker.key", "PRIVATE KEY", der)
}

func (b *mosquitto) certificate(name string, c, parent *x509.Certificate, key *ecdsa.PublicKey, signer *ecdsa.PrivateKey) {
	b.t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key, signer)
	check(b.t, err)
	b.pem(name, "CERTIFICATE", der)
}

func (b *mosquitto) pem(name, kind string, der []byte) {
	b.t.Helper()
	check(b.t, os.WriteFile(b.path(name), pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
}

// client is a mosquitto_sub or mosquitto_pub with everything that the broker
// asks for.
func (b *mosquitto) client(name string, args ...string) *exec.Cmd {
	all := []string{"-h", "localhost", "-p", b.port, "--cafile", b.path("ca.pem"), "-u", brokerUser, "-P", brokerPassword}
	return exec.CommandContext(b.t.Context(), name, append(all, args...)...)
}

func (b *mosquitto) publish(topic, payload string) {
	b.t.Helper()
	if out, err := b.client("mosquitto_pub", "-q", "1", "-t", topic, "-m", payload).CombinedOutput(); err != nil {
		b.t.Fatalf("mosquitto_pub: %v: %s", err, out)
	}
}

// subscription is what a client of the house sees.
type subscription struct {
	t testing.TB

	mu    sync.Mutex
	lines []string // retained (0 or 1), topic, payload
	more  chan struct{}
}

// subscribe follows all topics of hearthd until the broker or the test ends.
func (b *mosquitto) subscribe() *subscription {
	b.t.Helper()
	return b.follow("hearth/#")
}

// follow is subscribe for other topics.
func (b *mosquitto) follow(filter string) *subscription {
	b.t.Helper()
	s := &subscription{t: b.t, more: make(chan struct{})}
	cmd := b.client("mosquitto_sub", "-q", "1", "-t", filter, "-F", "%r %t %p")
	out, err := cmd.StdoutPipe()
	check(b.t, err)
	check(b.t, cmd.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.read(out)
		_ = cmd.Wait() // ended with the broker or the test
	}()
	b.t.Cleanup(func() { <-done })
	return s
}

func (s *subscription) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s.mu.Lock()
		s.lines = append(s.lines, lines.Text())
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
	}
}

// await waits for a message that begins and contains, and forgets it and those
// before.
func (s *subscription) await(begins string, contains ...string) string {
	s.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		line, more := s.find(begins, contains)
		if line != "" {
			return line
		}
		select {
		case <-more:
		case <-deadline.C:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.t.Fatalf("no message %q with %q; there were\n%s", begins, contains, strings.Join(s.lines, "\n"))
		}
	}
}

func (s *subscription) find(begins string, contains []string) (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
next:
	for i, line := range s.lines {
		if !strings.HasPrefix(line, begins) {
			continue
		}
		for _, c := range contains {
			if !strings.Contains(line, c) {
				continue next
			}
		}
		s.lines = s.lines[i+1:]
		return line, nil
	}
	return "", s.more
}
