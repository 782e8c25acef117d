package mqtt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"hearthd/daemon/mqtt/find"
)

// The services that brokers announce themselves as.
const (
	servicePlain = find.Plain
	serviceTLS   = find.TLS
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

// askNetwork asks who serves.
func askNetwork(ctx context.Context, service string) ([]found, error) {
	brokers, err := find.Brokers(ctx, service)
	var list []found
	for _, b := range brokers {
		list = append(list, found{name: b.Name, host: b.Host, ip: b.IP, port: b.Port})
	}
	return list, err
}
