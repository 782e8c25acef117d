package mqtt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/mdns"
)

// The services that brokers announce themselves as (IANA service names; the second
// is "secure-mqtt").
const (
	servicePlain = "_mqtt._tcp"
	serviceTLS   = "_secure-mqtt._tcp"
)

const (
	// findLimit is how long the local network may take to answer.
	findLimit = 2 * time.Second
	// maxFound bounds the answers.
	maxFound = 64
)

// errNotFound says that nobody answers for a service.
var errNotFound = errors.New("no broker answers in the local network")

// found is a broker that says that it is there.
type found struct {
	name, host string
	ip         net.IP
	port       int
}

// find asks the local network for p.service and gives the peer to connect to.
func (p peer) find(ctx context.Context, ask func(ctx context.Context, service string) ([]found, error)) (peer, error) {
	if p.service == "" {
		return p, nil
	}
	list, err := ask(ctx, p.service)
	if err != nil {
		return p, fmt.Errorf("find broker: %w", err)
	}
	list = slices.DeleteFunc(list, func(f found) bool { return f.ip == nil || f.port <= 0 || f.port > 65535 })
	if len(list) == 0 {
		return p, errNotFound
	}
	// Always the same one, whoever is the quickest.
	first := slices.MinFunc(list, func(a, b found) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.ip.String(), b.ip.String()))
	})
	p.host = strings.TrimSuffix(first.host, ".")
	p.address = net.JoinHostPort(first.ip.String(), strconv.Itoa(first.port))
	return p, nil
}

// askNetwork is one query of multicast DNS (RFC 6762), over IPv4 and, where there is
// any, IPv6.
func askNetwork(ctx context.Context, service string) ([]found, error) {
	entries := make(chan *mdns.ServiceEntry, maxFound) // the library drops what does not fit
	err := mdns.QueryContext(ctx, &mdns.QueryParam{
		Service: service, Domain: "local", Timeout: findLimit, Entries: entries, Logger: log.New(io.Discard, "", 0),
	})
	if err != nil {
		return nil, err
	}
	close(entries)
	var list []found
	for e := range entries {
		// It gives what others asked for, too.
		if !strings.HasSuffix(strings.TrimSuffix(e.Name, "."), service+".local") {
			continue
		}
		ip := e.AddrV4
		if ip == nil && e.AddrV6IPAddr != nil && e.AddrV6IPAddr.Zone == "" {
			ip = e.AddrV6IPAddr.IP
		}
		list = append(list, found{name: e.Name, host: e.Host, ip: ip, port: e.Port})
	}
	return list, nil
}
