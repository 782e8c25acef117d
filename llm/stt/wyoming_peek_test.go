package stt

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/llm/wyoming"
)

func TestWordsThatCameTooLateAreNotTakenForThoseSoFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		ctx, giveUp := context.WithCancelCause(t.Context())
		s := &wyomingStream{conn: wyoming.NewConn(here), timeout: time.Second, giveUp: giveUp, peeks: true,
			more: make(chan struct{}, 1), done: make(chan struct{}), soFar: make(chan string, 1)}
		s.running.Go(func() { s.send(ctx, wyoming.Event{Type: wyoming.Transcribe}) })
		s.running.Go(func() { s.receive(ctx) })
		late := make(chan struct{})
		go func() {
			server := wyoming.NewConn(there)
			texts := []string{"turn off the light", "turn off the light in the kitchen"}
			for {
				e, err := server.Receive(t.Context())
				if err != nil {
					return
				}
				if e.Type != wyoming.SoFar {
					continue
				}
				<-late
				told, err := wyoming.NewEvent(wyoming.SoFar, wyoming.Text{Text: texts[0]})
				if texts = texts[1:]; err == nil {
					err = server.Send(t.Context(), told)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
		if _, err := s.Peek(ctx, nil); !errors.Is(err, ErrNoPeek) {
			t.Errorf("nothing was told: %v", err)
		}
		close(late)
		synctest.Wait()
		if got, err := s.Peek(ctx, nil); err != nil || got.Text != "turn off the light in the kitchen" {
			t.Errorf("%q, %v", got.Text, err)
		}
		if err := errors.Join(s.Close(), there.Close()); err != nil {
			t.Error(err)
		}
	})
}
