package mqtt

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eclipse/paho.mqtt.golang/packets"
)

// watched runs f beside a bridge that follows what f tells it.
func watched(t *testing.T, f func(t *testing.T, x *box, tell func(news))) {
	synctest.Test(t, func(t *testing.T) {
		x := newBox(t, Options{Broker: "mqtt://broker.example"})
		ctx, cancel := context.WithCancel(context.Background())
		connection, done := make(chan news), make(chan struct{})
		go func() {
			defer close(done)
			x.follow(ctx, connection)
		}()
		synctest.Wait()
		f(t, x, func(n news) {
			n.endpoint = x.endpoint
			connection <- n
			synctest.Wait()
		})
		cancel()
		<-done
	})
}

// expect compares the condition.
func (x *box) expect(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	if got := x.condition(); got != want {
		t.Errorf("the condition is %q, want %q", got, want)
	}
}

const (
	unreachable = "The MQTT broker at broker.example:1883 is not reachable."
	refuses     = "The MQTT broker at broker.example:1883 refuses the user or password."
)

func TestABrokerThatNeverWasBecomesAConditionAfterThreeSeconds(t *testing.T) {
	watched(t, func(t *testing.T, x *box, tell func(news)) {
		time.Sleep(patience - time.Nanosecond)
		x.expect(t, "")
		time.Sleep(time.Nanosecond)
		x.expect(t, unreachable)
		tell(news{up: true})
		x.expect(t, "")
	})
}

func TestAShortAbsenceIsNoCondition(t *testing.T) {
	watched(t, func(t *testing.T, x *box, tell func(news)) {
		tell(news{up: true})
		for range 10 {
			tell(news{err: errLost})
			time.Sleep(patience - 1)
			tell(news{up: true})
		}
		time.Sleep(time.Hour)
		x.expect(t, "")
	})
}

// Two boxes that were made of one card push each other out for ever.
func TestConnectionsThatNeverLastAreAConditionUntilOneDoes(t *testing.T) {
	watched(t, func(t *testing.T, x *box, tell func(news)) {
		twin := "The MQTT broker at broker.example:1883 ends every connection soon; another box may have the name kitchen too, see node."
		for i := range 10 {
			tell(news{up: true})
			time.Sleep(time.Second)
			x.expect(t, map[bool]string{true: twin}[i >= tooBrief])
			tell(news{err: errLost})
			time.Sleep(time.Second)
		}
		x.expect(t, twin)
		tell(news{up: true})
		time.Sleep(steady)
		x.expect(t, "")
		tell(news{err: errLost})
		tell(news{up: true})
		x.expect(t, "")
	})
}

func TestEveryFailedTryCountsAsTheSameAbsence(t *testing.T) {
	watched(t, func(t *testing.T, x *box, tell func(news)) {
		tell(news{up: true})
		for range 3 {
			tell(news{err: errLost})
			x.expect(t, "")
			time.Sleep(time.Second)
		}
		x.expect(t, unreachable)
	})
}

func TestARefusedPasswordIsAConditionAtOnce(t *testing.T) {
	watched(t, func(t *testing.T, x *box, tell func(news)) {
		tell(news{err: fmt.Errorf("connect: %w", packets.ErrorRefusedNotAuthorised)})
		x.expect(t, refuses)
		time.Sleep(time.Minute)
		x.expect(t, refuses)
		tell(news{err: errors.New("connection refused")})
		x.expect(t, unreachable)
		tell(news{err: packets.ErrorRefusedBadUsernameOrPassword})
		x.expect(t, refuses)
		tell(news{up: true})
		x.expect(t, "")
	})
}

func TestThePauseBetweenTriesIsBoundedAndDiffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A certificate that went away fails every try, without a network.
		x := newBox(t, Options{Broker: "mqtts://broker.example"})
		x.opt.CAFile = "/nonexistent/ca.pem"
		ctx, cancel := context.WithCancel(context.Background())
		tries := make(chan news)
		done := make(chan struct{})
		go func() {
			defer close(done)
			x.reconnect(ctx, tries, nil)
		}()
		<-tries
		seen := make(map[time.Duration]bool)
		for i := range 40 {
			since := time.Now()
			<-tries
			pause := time.Since(since)
			most := min(retryFirst+retryFirst<<min(i, 10), retryLast)
			if pause < retryFirst || pause > most {
				t.Errorf("pause %d is %v, want %v to %v", i, pause, retryFirst, most)
			}
			seen[pause] = true
		}
		if len(seen) < 30 {
			t.Errorf("only %d different pauses", len(seen))
		}
		cancel()
		<-done
	})
}
