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
	// farewell is how long a client that goes waits for its disconnect to be written.
	farewell = 250 * time.Millisecond
	// subackRefused is the return code of a refused subscription (MQTT 3.1.1, 3.9.3).
	subackRefused = 0x80
)

var (
	errLost     = errors.New("connection lost")
	errNoAnswer = errors.New("the broker does not acknowledge")
)

// noCommands says that the broker refuses the subscription without which the box is deaf.
type noCommands struct{ topic string }

func (e *noCommands) Error() string { return "the broker refuses the subscription to " + e.topic }

// link is an open connection.
type link struct {
	client paho.Client
	lost   chan error // cap 1: why the client gave up
	cut    func()     // closes the network connection, whatever waits on it
}

// wait returns when the broker has acknowledged, or will not.
func (l *link) wait(ctx context.Context, token paho.Token, limit time.Duration) error {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-token.Done():
		return token.Error()
	case err := <-l.lost:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return errNoAnswer
	}
}

// refused gives the topics of a subscription that the broker has refused. The library keeps that apart from errors.
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

// answered waits for the broker.
func answered(ctx context.Context, token paho.Token) error {
	ctx, cancel := context.WithTimeout(ctx, ackLimit)
	defer cancel()
	select {
	case <-token.Done():
		return token.Error()
	case <-ctx.Done():
		return errNoAnswer
	}
}
