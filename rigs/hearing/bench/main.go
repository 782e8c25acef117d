// Command bench measures how well hearthd hears, on a bed of its own making, and
// prints tables; make bench-hearing runs it and keeps them in the repository. It
// runs everything on one goroutine, so that the CPU times are those of a stage
// and not of a crowd. Only here and in the daemon are engines built.
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

	"hearthd/llm/stt"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "", "also write the tables to this `file`")
	models := flag.String("models", os.Getenv("HEARTHD_TEST_MODELS"),
		"`folder` with silero_vad_16k_op15.onnx and wake/*.json (default $HEARTHD_TEST_MODELS)")
	recorded := flag.String("recorded", "", "`folder` with people and noises out of Debian packages "+
		"(rigs/hearing/recorded.sh)")
	orders := flag.String("orders", "", "`folder` with orders and talk of neural voices (rigs/hearing/orders/fetch.sh)")
	var server stt.WyomingOptions
	flag.StringVar(&server.Address, "server", "", "`address` of a Wyoming server that hears orders too, as it does in "+
		"the product")
	flag.StringVar(&server.Model, "model", "", "`name` of the server's model")
	heard := flag.String("heard", "", "`file` that keeps what is heard of the orders, and is read where they were "+
		"heard before")
	said := flag.String("said", "", "`folder` with wake words of many synthetic voices (rigs/hearing/said.sh)")
	minutes := flag.Float64("minutes", 3, "of the speaker's own voice, for each way of its echo")
	only := flag.String("only", "",
		"`parts` to run: people, orders, callers, loud, singing, detection, turns, enrolled, wakes, "+
			"echo, interruptions, rooms, noisy, costs (default all)")
	flag.Parse()
	b := &bench{
		models: *models, recorded: *recorded, said: *said, orders: *orders, server: server, keep: *heard,
		own: time.Duration(*minutes * float64(time.Minute)),
	}
	if err := b.run(ctx, *out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, out, only string) error {
	var text strings.Builder
	b.w = &report{w: io.MultiWriter(os.Stdout, &text)}
	b.head()
	if err := b.synthesise(ctx); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"people", b.recordings}, {"orders", b.recognition}, {"callers", b.callers}, {"loud", b.loud}, {"singing", b.singing},
		{"detection", b.detection}, {"turns", b.turns}, {"enrolled", b.enrolled}, {"wakes", b.wakes},
		{"echo", b.echo}, {"interruptions", b.interruptions}, {"rooms", b.rooms}, {"noisy", b.noisy}, {"costs", b.costs},
	} {
		if only != "" && !strings.Contains(only, part.name) {
			continue
		}
		if err := errors.Join(ctx.Err(), part.run(ctx)); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	if err := os.WriteFile(out, []byte(text.String()), 0o644); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	return nil
}
