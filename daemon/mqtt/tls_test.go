package mqtt

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// authority makes certificates, in a folder of its own.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{dir: t.TempDir()}
	a.cert = &x509.Certificate{
		Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:  x509.KeyUsageCertSign,
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour),
	}
	a.key = a.sign(t, "ca", a.cert)
	return a
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name) }

// issue makes NAME.pem and NAME.key for a host or a client, for a day from now.
func (a *authority) issue(t *testing.T, name string, c x509.Certificate) {
	t.Helper()
	a.issueFrom(t, name, c, time.Now().Add(-time.Hour))
}

// issueFrom is issue for a day from begin on.
func (a *authority) issueFrom(t *testing.T, name string, c x509.Certificate, begin time.Time) {
	t.Helper()
	c.Subject = pkix.Name{CommonName: name}
	c.KeyUsage = x509.KeyUsageDigitalSignature
	c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	c.NotBefore, c.NotAfter = begin, begin.Add(24*time.Hour)
	a.sign(t, name, &c)
}

// sign writes a certificate, with a new key, that the authority signs; its own it
// signs with that key.
func (a *authority) sign(t *testing.T, name string, c *x509.Certificate) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer := a.key
	if signer == nil {
		signer = key
	}
	cert, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		name + ".pem": {Type: "CERTIFICATE", Bytes: cert}, name + ".key": {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(a.file(file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

// ofHost and ofClient are what certificates are for.
func ofHost() x509.Certificate {
	return x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
}

func ofClient() x509.Certificate { return x509.Certificate{DNSNames: []string{"kitchen"}} }

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
	ours.issue(t, "broker", ofHost())
	ours.issue(t, "other", x509.Certificate{DNSNames: []string{"other.example"}})
	good, misnamed := ours.encrypted(t, "broker"), ours.encrypted(t, "other")

	newBox(t, Options{Broker: "mqtts://127.0.0.1:" + good.port, CAFile: ours.file("ca.pem")}).run(t)
	good.shows(t, "hearth/kitchen/availability", "online")

	for _, tt := range []struct {
		what, port, ca, want string
	}{
		{"another name", misnamed.port, ours.file("ca.pem"), "shows a certificate for another name"},
		{"another authority", good.port, theirs.file("ca.pem"),
			"shows a certificate of an authority that is not trusted; see mqtt.ca_file"},
		{"the system's authorities", good.port, "",
			"shows a certificate of an authority that is not trusted; see mqtt.ca_file"},
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

// Each of the four ways of mqtt.broker at a port of the other kind says so, at Mosquitto and at other servers.
func TestTLSAgainstAPlainPortAndTheOtherWayRoundSaySo(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "broker", ofHost())
	files := []string{"certfile " + a.file("broker.pem"), "keyfile " + a.file("broker.key"), "cafile " +
		a.file("ca.pem")}
	plain, plainWeb := webbed(t)
	_, secureWeb := webbed(t, files...)
	secure := a.encrypted(t, "broker")
	other := httptest.NewTLSServer(http.NotFoundHandler())
	defer other.Close()
	_, otherSecure, err := net.SplitHostPort(other.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	otherPlain := httptest.NewServer(http.NotFoundHandler())
	defer otherPlain.Close()
	_, otherPort, err := net.SplitHostPort(otherPlain.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		scheme, port string
		want         []string // one of them
	}{
		{"mqtts", plain.port,
			[]string{"hangs up when TLS begins, as a port without TLS does; see the port in mqtt.broker, or mqtt://",
				"does not speak TLS at that port; see the port in mqtt.broker, or mqtt://"}},
		{"wss", plainWeb,
			[]string{"hangs up when TLS begins, as a port without TLS does; see the port in mqtt.broker, or ws://",
				"does not speak TLS at that port; see the port in mqtt.broker, or ws://"}},
		{"mqtts", otherPort, []string{"does not speak TLS at that port; see the port in mqtt.broker, or mqtt://"}},
		{"mqtt", secure.port, []string{"speaks TLS at that port; see the port in mqtt.broker, or mqtts://",
			"hangs up without an answer, as a port that wants TLS does; see the port in mqtt.broker, or mqtts://"}},
		{"ws", secureWeb, []string{"speaks TLS at that port; see the port in mqtt.broker, or wss://",
			"hangs up without an answer, as a port that wants TLS does; see the port in mqtt.broker, or wss://"}},
		{"ws", otherSecure,
			[]string{"is a web server that does not speak MQTT there; see the path of mqtt.broker, and whether it wants wss"}},
	} {
		address := "127.0.0.1:" + tt.port
		x := newBox(t, Options{Broker: tt.scheme + "://" + address, CAFile: a.file("ca.pem")}).run(t)
		said := ""
		eventually(t, tt.scheme+" at "+tt.port+": "+tt.want[0], func() bool {
			said = x.condition()
			return slices.ContainsFunc(tt.want,
				func(w string) bool { return said == "The MQTT broker at "+address+" "+w+"." })
		})
		t.Log(tt.scheme, said)
		if err := x.stop(); err != nil {
			t.Error(err)
		}
	}
}

func TestMosquittoTrustsAClientCertificate(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "broker", ofHost())
	a.issue(t, "hearthd", ofClient())
	m := a.encrypted(t, "broker", "require_certificate true")
	m.args = append(m.args, "--cert", a.file("hearthd.pem"), "--key", a.file("hearthd.key"))
	url := "mqtts://127.0.0.1:" + m.port

	bare := newBox(t, Options{Broker: url, CAFile: a.file("ca.pem")}).run(t)
	want := "The MQTT broker at 127.0.0.1:" + m.port +
		" ends the encrypted connection; it may want a client certificate, see mqtt.cert_file."
	eventually(t, want, func() bool { return bare.condition() == want })
	if err := bare.stop(); err != nil {
		t.Error(err)
	}

	x := newBox(t, Options{Broker: url, CAFile: a.file("ca.pem"), CertFile: a.file("hearthd.pem"),
		KeyFile: a.file("hearthd.key")}).run(t)
	m.shows(t, "hearth/kitchen/availability", "online")
	if err := x.stop(); err != nil {
		t.Error(err)
	}
	m.shows(t, "hearth/kitchen/availability", "offline")
}

// The alarms of a house do not hang on a file for its broker.
func TestCertificateThatCannotBeReadIsToldAndStopsNothing(t *testing.T) {
	x := newBox(t, Options{Broker: "mqtts://127.0.0.1", CAFile: filepath.Join(t.TempDir(), "absent.pem")}).run(t)
	want := "The certificates for the MQTT broker cannot be read; see mqtt.ca_file, mqtt.cert_file and mqtt.key_file."
	eventually(t, want, func() bool { return x.condition() == want })
	if err := x.stop(); err != nil {
		t.Error(err)
	}
}

func TestBridgeRefusesCertificatesThatItCannotRead(t *testing.T) {
	a := newAuthority(t)
	a.issue(t, "hearthd", ofClient())
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
		p, err := opt.endpoint()
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
