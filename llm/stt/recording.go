package stt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hearthd/audio"
	"hearthd/llm"
)

const (
	// maxUtterance bounds the audio that waits for an engine: twice the longest
	// utterance that listening lets through by default.
	maxUtterance = 30 * time.Second
	maxSamples   = int(maxUtterance / time.Second * audio.Rate)

	// maxTranscript bounds a transcript, in bytes. Fast speech for maxUtterance
	// is about 150 words.
	maxTranscript = 4096

	// dialLimit is how long a server may take to accept.
	dialLimit = 2 * time.Second
	// thinkLimit is how long an engine may think. whisper's smallest model
	// takes 9 s on a Raspberry Pi 4.
	thinkLimit = 30 * time.Second
)

var (
	errTooLong  = fmt.Errorf("utterance is longer than %v", maxUtterance)
	errFinished = errors.New("utterance is finished")
	errClosed   = errors.New("utterance was given up")
	errSilent   = errors.New("no transcript in time")
)

// recording is the Stream of an engine that wants the whole utterance at once.
// It runs no goroutine.
type recording struct {
	// recognise turns the samples into a transcript.
	recognise func(ctx context.Context, samples []int16) (llm.Transcript, error)
	timeout   time.Duration
	// within derives a context that also ends with the utterance's own.
	within  func(context.Context) (context.Context, context.CancelFunc)
	giveUp  context.CancelCauseFunc
	samples []int16
	err     error
}

func newRecording(ctx context.Context, timeout time.Duration,
	recognise func(context.Context, []int16) (llm.Transcript, error)) *recording {
	utterance, giveUp := context.WithCancelCause(ctx)
	return &recording{
		recognise: recognise, timeout: timeout, giveUp: giveUp,
		within: func(ctx context.Context) (context.Context, context.CancelFunc) { return join(ctx, utterance) },
	}
}

// join returns a context that ends with the first of a and b.
func join(a, b context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(a)
	stop := context.AfterFunc(b, func() { cancel(context.Cause(b)) })
	return ctx, func() { stop(); cancel(nil) }
}

func (r *recording) Write(f *audio.Frame) error {
	if r.err == nil && len(r.samples)+len(f) > maxSamples {
		r.err = errTooLong
	}
	if r.err != nil {
		return r.err
	}
	r.samples = append(r.samples, f[:]...)
	return nil
}

func (r *recording) Finish(ctx context.Context) (llm.Transcript, error) {
	if r.err != nil {
		return llm.Transcript{}, r.err
	}
	r.err = errFinished
	ctx, cancel := r.within(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeoutCause(ctx, r.timeout, errSilent)
	defer cancel()
	if ctx.Err() != nil {
		return llm.Transcript{}, context.Cause(ctx)
	}
	return r.recognise(ctx, r.samples)
}

func (r *recording) Close() error {
	r.giveUp(errClosed)
	r.samples = nil
	if r.err == nil {
		r.err = errClosed
	}
	return nil
}

// transcript makes a Transcript of an engine's text.
func transcript(text string) (llm.Transcript, error) {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) > maxTranscript {
		return llm.Transcript{}, fmt.Errorf("transcript of %d bytes, limit %d", len(text), maxTranscript)
	}
	return llm.Transcript{Text: text}, nil
}
