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

// errNotFound says that no broker answers for a service.
var errNotFound = errors.New("no broker answers in the local network")

// find asks the local network for p.service, with find.Brokers, and returns the broker to
// connect to.
func (p endpoint) find(
	ctx context.Context, ask func(ctx context.Context, service string) ([]find.Broker, error),
) (endpoint, error) {
	if p.service == "" {
		return p, nil
	}
	list, err := ask(ctx, p.service)
	if err != nil {
		return p, fmt.Errorf("find broker: %w", err)
	}
	list = slices.DeleteFunc(list, func(b find.Broker) bool { return b.IP == nil || b.Port <= 0 || b.Port > 65535 })
	if len(list) == 0 {
		return p, errNotFound
	}
	// Always the same one, whichever answers first.
	first := slices.MinFunc(list, func(a, b find.Broker) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.IP.String(), b.IP.String()))
	})
	p.host = strings.TrimSuffix(first.Host, ".")
	p.address = net.JoinHostPort(first.IP.String(), strconv.Itoa(first.Port))
	return p, nil
}
