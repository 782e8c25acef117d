// Package find asks the local network for MQTT brokers, by multicast DNS (RFC 6762),
// for the bridge and for hearthctl. It runs no goroutine of its own, those of the
// library end with the question, and it imports nothing of hearthd.
package find

import (
	"context"
	"io"
	"log"
	"net"
	"strings"
	"time"

	"github.com/hashicorp/mdns"
)

// The services that brokers announce themselves as (IANA service names; the second
// is "secure-mqtt").
const (
	Plain = "_mqtt._tcp"
	TLS   = "_secure-mqtt._tcp"
)

const (
	// limit is how long the local network may take to answer.
	limit = 2 * time.Second
	// maxFound bounds the answers.
	maxFound = 64
)

// Broker is one that announces itself. Address and port may be missing.
type Broker struct {
	Name, Host string
	IP         net.IP
	Port       int
}

// Brokers is one query, over IPv4 and, where there is any, IPv6. It takes 2 s.
func Brokers(ctx context.Context, service string) ([]Broker, error) {
	entries := make(chan *mdns.ServiceEntry, maxFound) // the library drops what does not fit
	err := mdns.QueryContext(ctx, &mdns.QueryParam{
		Service: service, Domain: "local", Timeout: limit, Entries: entries, Logger: log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, err
	}
	close(entries)
	var list []Broker
	for e := range entries {
		// The library also returns what others have asked for.
		if !strings.HasSuffix(strings.TrimSuffix(e.Name, "."), service+".local") {
			continue
		}
		ip := e.AddrV4
		if ip == nil && e.AddrV6IPAddr != nil && e.AddrV6IPAddr.Zone == "" {
			ip = e.AddrV6IPAddr.IP
		}
		list = append(list, Broker{Name: e.Name, Host: e.Host, IP: ip, Port: e.Port})
	}
	return list, nil
}
