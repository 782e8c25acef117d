package mqtt

import (
	"context"
	"errors"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

const (
	connectLimit = 5 * time.Second // for dialling, and again for each handshake
	ackLimit     = 5 * time.Second
	// farewell is how long a client that leaves waits until its disconnect is written.
	farewell = 250 * time.Millisecond
	// subackRefused is the return code of a refused subscription (MQTT 3.1.1, 3.9.3).
	subackRefused = 0x80
)

var (
	errLost     = errors.New("connection lost")
	errNoAnswer = errors.New("the broker does not acknowledge")
)

// noCommands says that the broker refuses the subscription to the commands.
type noCommands struct{ topic string }

func (e *noCommands) Error() string { return "the broker refuses the subscription to " + e.topic }

// link is an open connection.
type link struct {
	client paho.Client
	lost   chan error // cap 1: why the client gave up
	cut    func()     // closes the network connection, whatever waits on it
}

// acknowledged returns when the broker has acknowledged, or will not. lost may be nil.
func acknowledged(ctx context.Context, token paho.Token, lost <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, ackLimit, errNoAnswer)
	defer cancel()
	select {
	case <-token.Done(): // also when the connection ends
		return token.Error()
	case err := <-lost:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// refused lists the topics of a subscription that the broker has refused. For the library that is no error.
func refused(token paho.Token) (topics []string) {
	s, ok := token.(*paho.SubscribeToken)
	if !ok {
		return nil
	}
	for t, code := range s.Result() {
		if code >= subackRefused {
			topics = append(topics, t)
		}
	}
	return topics
}
