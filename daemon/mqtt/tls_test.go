package mqtt

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// authority makes certificates with openssl, in a folder of its own.
type authority struct{ dir string }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skipf("needs the Debian package openssl: %v", err)
	}
	a := &authority{dir: t.TempDir()}
	a.openssl(t, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
		"-subj", "/CN=test authority", "-keyout", a.file("ca.key"), "-out", a.file("ca.pem"))
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

func (a *authority) openssl(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("openssl", args...).CombinedOutput(); err != nil {
		t.Fatalf("openssl %v: %v: %s", args, err, out)
	}
}

// issue makes NAME.pem and NAME.key for a host or a client.
func (a *authority) issue(t *testing.T, name, alternative string) {
	t.Helper()
	a.issueFor(t, name, alternative, "-days", "2")
}

// issueFor is issue with a validity as openssl x509 takes it.
func (a *authority) issueFor(t *testing.T, name, alternative string, validity ...string) {
	t.Helper()
	extensions := a.file(name + ".ext")
	if err := os.WriteFile(extensions, []byte("subjectAltName="+alternative+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.openssl(t, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
		"-subj", "/CN="+name, "-keyout", a.file(name+".key"), "-out", a.file(name+".csr"))
	a.openssl(t, append([]string{"x509", "-req"}, append(validity, "-in", a.file(name+".csr"), "-CA", a.file("ca.pem"), "-CAkey", a.file("ca.key"),
		"-CAcreateserial", "-extfile", extensions, "-out", a.file(name+".pem"))...)...)
}

// encrypted starts a broker with the certificate of name.
func (a *authority) encrypted(t *testing.T, name string, lines ...string) *mosquitto {
	t.Helper()
	m := newMosquitto(t, append([]string{
		"certfile " + a.file(name+".pem"), "keyfile " + a.file(name+".key"), "cafile " + a.file("ca.pem"), anonymous,
	}, lines...)...)
	m.args = append(m.args, "--cafile", a.file("ca.pem"))
	return m
}

func TestMosquittoIsTrustedByItsCertificateOnly(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	ours.issue(t, "broker", "IP:127.0.0.1")
	ours.issue(t, "other", "DNS:other.example")
	good, misnamed := ours.encrypted(t, "broker"), ours.encrypted(t, "other")

	newBox(t, Options{Broker: "mqtts://127.0.0.1:" + good.port, CAFile: ours.file("ca.pem")}).run(t)
	good.shows(t, "hearth/kitchen/availability", "online")

	for _, tt := range []struct {
		what, port, ca, want string
	}{
		{"another name", misnamed.port, ours.file("ca.pem"), "shows a certificate for another name"},
		{"another authority", good.port, theirs.file("ca.pem"), "shows a certificate of an authority that is not trusted; see mqtt.ca_file"},
		{"the system's authorities", good.port, "", "shows a certificate of an authority that is not trusted; see mqtt.ca_file"},
	} {
		x := newBox(t, Options{Broker: "mqtts://127.0.0.1:" + tt.port, CAFile: tt.ca}).run(t)
		want := "The MQTT broker at 127.0.0.1:" + tt.port + " " + tt.want + "."
		eventually(t, want, func() bool { return x.condition() == want })
		if x.State() != "connecting" {
			t.Errorf("%s: the bridge is %s", tt.what, x.State())
		}
		if err := x.stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestMosquittoTrustsAClientCertificate(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "broker", "IP:127.0.0.1")
	a.issue(t, "hearthd", "DNS:kitchen")
	m := a.encrypted(t, "broker", "require_certificate true")
	m.args = append(m.args, "--cert", a.file("hearthd.pem"), "--key", a.file("hearthd.key"))
	url := "mqtts://127.0.0.1:" + m.port

	bare := newBox(t, Options{Broker: url, CAFile: a.file("ca.pem")}).run(t)
	want := "The MQTT broker at 127.0.0.1:" + m.port + " ends the encrypted connection; it may want a client certificate, see mqtt.cert_file."
	eventually(t, want, func() bool { return bare.condition() == want })
	if err := bare.stop(); err != nil {
		t.Error(err)
	}

	x := newBox(t, Options{Broker: url, CAFile: a.file("ca.pem"), CertFile: a.file("hearthd.pem"), KeyFile: a.file("hearthd.key")}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

func TestBridgeRefusesCertificatesThatItCannotRead(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "hearthd", "DNS:kitchen")
	junk := a.file("junk.pem")
	if err := os.WriteFile(junk, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, opt := range map[string]Options{
		"no such file":      {CAFile: a.file("absent.pem")},
		"no certificate":    {CAFile: junk},
		"endless file":      {CAFile: "/dev/zero"},
		"no key":            {CertFile: a.file("hearthd.pem"), KeyFile: junk},
		"a key of another":  {CertFile: a.file("hearthd.pem"), KeyFile: a.file("ca.key")},
		"no certificate of": {CertFile: a.file("absent.pem"), KeyFile: a.file("hearthd.key")},
	} {
		opt.Broker = "mqtts://127.0.0.1"
		p, err := opt.peer()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := opt.tlsConfig(p); err == nil {
			t.Errorf("%s was taken", what)
		} else if f := explain(p, err); !f.now {
			t.Errorf("%s: a person is told %q", what, f.text)
		}
	}
}
