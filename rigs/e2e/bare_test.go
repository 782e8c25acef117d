package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"hearthd/audio"
	"hearthd/audio/device"
)

// bareCapture in the environment makes this test program capture from the card
// and do nothing else, until SIGTERM: what a benchmark of the daemon is compared
// with.
const bareCapture = "HEARTHD_TEST_BARE_CAPTURE"

func captureOnly() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	c, err := device.NewCapture(device.CaptureOptions{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	for f := (audio.Frame{}); c.ReadFrame(ctx, &f) == nil; {
	}
	if err := <-done; err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
