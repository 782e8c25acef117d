package setup

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/daemon/api"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/mqtt/find"
)

// dialLimit is how long a program on this box is waited for.
const dialLimit = 2 * time.Second

// broker asks for the broker, and looks for one in the network.
func (w *wizard) broker(ctx context.Context) error {
	w.guide("\nMQTT\n")
	own := option{contract.Embedded, "one of its own, for programs on this box"}
	q := question{flag: "broker", text: "Broker (a number, or an address such as mqtt://192.168.1.20)",
		usual: w.now.MQTT.Broker, key: "mqtt.broker", remark: "The MQTT broker."}
	if at := w.otherBroker(ctx); at != "" {
		w.say("Another program listens on %s, where the embedded broker would: most likely a broker.\n", at)
		own = option{"mqtt://" + at, "the one that runs on this box"}
		if q.usual == contract.Embedded && !w.yes {
			q.usual = own.value
		}
	}
	q.list = []option{own, {contract.NoBroker, "none"}}
	if _, ok := w.given["broker"]; !ok && !w.yes {
		w.say("Looking for brokers in the network…\n")
		if found := w.brokers(ctx); len(found) > 0 {
			q.list = append(append(q.list, found...), option{"mdns", "whichever of them is there"})
		}
	}
	err := w.until(q, func(a string) error {
		if host, _, _ := strings.Cut(a, ":"); host == "localhost" || strings.Contains(host, ".") {
			a = "mqtt://" + a
		}
		return w.set(q.key, a, q.remark)
	})
	if err != nil {
		return err
	}
	if at := w.last("mqtt.broker"); at == contract.Embedded || at == contract.NoBroker {
		return nil
	}
	user := question{flag: "broker-user", text: "User at the broker (empty: none)", usual: w.now.MQTT.User,
		key: "mqtt.user", optional: true}
	err = w.until(user, func(a string) error {
		return w.set("mqtt.user", a, "User at the broker; the password is the credential hearthd.mqtt.")
	})
	if err != nil || w.last("mqtt.user") == "" {
		return err
	}
	return w.askSecret("password", "hearthd.mqtt")
}

// otherBroker is where a program that is not this hearthd listens in the place of the embedded broker; empty: none
// does.
func (w *wizard) otherBroker(ctx context.Context) string {
	conn, err := (&net.Dialer{Timeout: dialLimit}).DialContext(ctx, "tcp", w.now.MQTT.Listen)
	if err != nil {
		return ""
	}
	defer conn.Close()
	var s api.Status
	err = w.c.Ask(ctx, ctl.Request{Path: "/v1/status"}, &s)
	other := err != nil || w.now.MQTT.Broker != contract.Embedded
	for _, c := range s.Conditions {
		other = other || c.Code == "broker"
	}
	if !other {
		return ""
	}
	return conn.RemoteAddr().String()
}

// brokers are those that the network announces.
func (w *wizard) brokers(ctx context.Context) (list []option) {
	for service, scheme := range map[string]string{find.Plain: "mqtt", find.TLS: "mqtts"} {
		found, err := find.Brokers(ctx, service)
		if err != nil {
			w.say("The network cannot be asked: %v\n", err)
			continue
		}
		for _, b := range found {
			if b.IP == nil || b.Port <= 0 || b.Port > 65535 {
				continue
			}
			name, _, _ := strings.Cut(b.Name, "."+service)
			// Other DNS escapes stay: anybody in the network may choose the name.
			list = append(list, option{scheme + "://" + net.JoinHostPort(b.IP.String(), strconv.Itoa(b.Port)),
				strings.ReplaceAll(name, `\ `, " ")})
		}
	}
	return list
}
