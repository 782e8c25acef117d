// Command fleet measures how a broker bears many boxes: simulated appliances, each with
// the daemon's own bridge (package mqtt) and nobody before it, hold conversations, and
// lose the broker. make bench-fleet runs it. Without -broker it starts a Mosquitto of its
// own, of which it measures the processor too, and which it kills.
//
// One goroutine per appliance publishes events, one watches the broker's topics. It owns
// no buffer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var b bench
	flag.StringVar(&b.url, "broker", "", "`address` of a broker, such as mqtt://HOST:1883; empty: a Mosquitto of its own")
	flag.IntVar(&b.boxes, "boxes", 1000, "appliances")
	flag.IntVar(&b.house, "house", 4, "boxes of one household, which know each other")
	flag.DurationVar(&b.every, "every", 30*time.Second, "from turn to turn of one box")
	flag.DurationVar(&b.steady, "steady", time.Minute, "how long they talk before the broker is restarted")
	flag.StringVar(&b.user, "user", "", "at the broker")
	flag.StringVar(&b.password, "password-file", "", "`file` with the password")
	flag.StringVar(&b.ca, "ca-file", "", "`file` with the certificate of its authority, for mqtts:// and wss://")
	out := flag.String("out", "", "also write the table to this `file`; with -broker, after what it holds")
	flag.Parse()
	if err := run(ctx, &b, *out); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, b *bench, out string) error {
	if b.boxes < 1 || b.boxes > 20_000 || b.house < 1 || b.house > 100 || b.every < time.Second || b.steady < time.Second {
		return errors.New("1 to 20000 boxes, 1 to 100 in a house, and not less than a second")
	}
	var text strings.Builder
	b.w = io.MultiWriter(os.Stdout, &text)
	if err := b.run(ctx); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	if b.broker != nil {
		return os.WriteFile(out, []byte(text.String()), 0o644)
	}
	f, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n" + text.String())
	return errors.Join(err, f.Close())
}
