package mqtt

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"

	"hearthd/daemon/event"
	"hearthd/daemon/health"
)

// patience is how long the broker may be away before that is a condition; a
// broker that only restarts is back by then.
const patience = 3 * time.Second

// A connection that ends before steady was too brief. After tooBrief of them in a row,
// another client most likely has the same client id, and the broker ends the one for the
// other.
const (
	steady   = 15 * time.Second
	tooBrief = 4
)

// news tells that the connection is up, or why it is not.
type news struct {
	up       bool
	err      error
	endpoint endpoint
}

// fault is what a person is told about a connection.
type fault struct {
	severity event.Severity
	text     string
	now      bool // waiting will not help, so it is shown at once
}

// watch turns news into the condition "broker" and into log lines.
type watch struct {
	b       *Bridge
	overdue *time.Timer
	down    bool
	isLate  bool      // it has been down for longer than patience
	since   time.Time // when the connection began
	brief   int       // connections in a row that ended before steady
	last    fault     // what the condition says, or will say after patience
	logged  fault     // what was logged last
}

func (b *Bridge) newWatch() *watch {
	return &watch{b: b, overdue: time.NewTimer(patience), down: true, last: explain(b.endpoint, nil)}
}

// hear takes news. It logs a warning when the connection is lost, and when the reason
// changes, but not at every try.
func (w *watch) hear(n news) {
	if n.up {
		w.down, w.isLate, w.since = false, false, time.Now()
		if w.brief >= tooBrief {
			w.overdue.Reset(steady)
			return
		}
		w.overdue.Stop()
		w.last, w.logged = explain(n.endpoint, nil), fault{}
		w.b.opt.Conditions.Clear("broker")
		w.b.opt.Log.Info("connected to the broker", "component", "mqtt")
		return
	}
	if !w.down {
		w.down = true
		w.overdue.Reset(patience)
		if w.brief++; time.Since(w.since) >= steady {
			w.brief = 0
		}
	}
	f := explain(n.endpoint, n.err)
	if w.brief >= tooBrief && errors.Is(n.err, errLost) {
		f = fault{severity: health.Warning, now: true, text: fmt.Sprintf(
			"The MQTT broker at %s ends every connection soon; another box may have the name %s too, see node.",
			n.endpoint.address, w.b.opt.Device.Node)}
	}
	log := w.b.opt.Log.Debug
	if f != w.logged {
		log = w.b.opt.Log.Warn
	}
	log("no connection to the broker, trying again", "component", "mqtt", "error", n.err)
	w.last, w.logged = f, f
	if f.now || w.isLate {
		w.set()
	}
}

// late is called when the broker was away for longer than patience, or when a connection
// after several brief ones has proved steady.
func (w *watch) late() {
	if !w.down {
		w.brief = 0
		w.hear(news{up: true, endpoint: w.b.endpoint})
		return
	}
	w.isLate = true
	w.set()
}

func (w *watch) set() { w.b.opt.Conditions.Set("broker", w.last.severity, w.last.text) }

// explain says why there is no connection. The texts are fixed: nothing in them comes from
// the broker or was sent to it.
func explain(p endpoint, err error) fault {
	say := func(s event.Severity, now bool, what string) fault {
		return fault{severity: s, now: now, text: fmt.Sprintf("The MQTT broker at %s %s.", p.address, what)}
	}
	var (
		certificate *certificateError
		deaf        *noCommands
		unknown     x509.UnknownAuthorityError
		hostname    x509.HostnameError
		invalid     x509.CertificateInvalidError
		untrusted   *tls.CertificateVerificationError
		op          *net.OpError
	)
	switch {
	case errors.Is(err, errNotFound):
		text := fmt.Sprintf("No MQTT broker answers for %s in the local network.", p.service)
		return fault{severity: health.Warning, text: text}
	case errors.Is(err, errNoWeb):
		return say(health.Error, true,
			"is a web server that does not speak MQTT there; see the path of mqtt.broker, and whether it wants wss")
	case errors.As(err, &certificate):
		return fault{severity: health.Error, now: true, text: "The certificates for the MQTT broker cannot be read; " +
			"see mqtt.ca_file, mqtt.cert_file and mqtt.key_file."}
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword), errors.Is(err, packets.ErrorRefusedNotAuthorised):
		return say(health.Error, true, "refuses the user or password")
	case errors.Is(err, packets.ErrorRefusedIDRejected), errors.Is(err, packets.ErrorRefusedBadProtocolVersion),
		errors.Is(err, packets.ErrorRefusedServerUnavailable):
		return say(health.Warning, false, "refuses the connection")
	case errors.As(err, &deaf):
		return say(health.Error, true, "refuses the subscription to commands, "+deaf.topic+"; see its access list")
	case errors.Is(err, errNoTLS):
		return say(health.Error, true, "does not speak TLS at that port; "+p.hint())
	case errors.Is(err, errSilentTLS):
		return say(health.Warning, false, "hangs up when TLS begins, as a port without TLS does; "+p.hint())
	case errors.Is(err, errWantsTLS):
		return say(health.Error, true, "speaks TLS at that port; "+p.hint())
	case errors.Is(err, errSilent):
		return say(health.Warning, false, "hangs up without an answer, as a port that wants TLS does; "+p.hint())
	case errors.As(err, &unknown):
		return say(health.Error, true, "shows a certificate of an authority that is not trusted; see mqtt.ca_file")
	case errors.As(err, &hostname):
		return say(health.Error, true, "shows a certificate for another name")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return say(health.Error, true, "shows a certificate that has expired or is not valid yet")
	case errors.As(err, &untrusted):
		return say(health.Error, true, "shows a certificate that is not valid")
	// With TLS 1.3 a missing or refused client certificate shows only after the
	// handshake, with earlier versions as an alert, which crypto/tls reports like this.
	case errors.Is(err, errAfterTLS), errors.As(err, &op) && op.Op == "remote error":
		return say(health.Warning, false,
			"ends the encrypted connection; it may want a client certificate, see mqtt.cert_file")
	}
	return say(health.Warning, false, "is not reachable")
}
