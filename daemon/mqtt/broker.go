package mqtt

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"syscall"

	server "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/listeners"
)

const (
	// maxPacket bounds one packet that the embedded broker takes, in bytes.
	maxPacket = 256 << 10
	// maxBrokerClients bounds who may connect to it.
	maxBrokerClients = 100
)

// startBroker serves MQTT on address, which must be loopback: there are no
// passwords. The caller closes the server.
func startBroker(address string) (*server.Server, error) {
	caps := server.NewDefaultServerCapabilities()
	caps.MaximumPacketSize = maxPacket
	caps.MaximumClients = maxBrokerClients
	s := server.New(&server.Options{
		Capabilities: caps,
		// Its log lines speak of clients that come and go; the bridge reports
		// what matters.
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err := s.AddHook(new(auth.AllowHook), nil); err != nil {
		return nil, fmt.Errorf("set up embedded broker: %w", err)
	}
	if err := s.AddListener(listeners.NewTCP(listeners.Config{ID: "loopback", Address: address})); err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("start embedded broker: another program listens on %s; if that is a broker, set mqtt.broker to mqtt://%s: %w", address, address, err)
		}
		return nil, fmt.Errorf("start embedded broker: %w", err)
	}
	if err := s.Serve(); err != nil {
		return nil, fmt.Errorf("start embedded broker: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}
