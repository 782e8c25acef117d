package engines

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hearthd/audio"
	"hearthd/llm"
	"hearthd/llm/stt"
)

// awayTime is how long a service that does not have its model is left alone. Nothing that is said
// goes there in that time.
const awayTime = 5 * time.Minute

// keptFrames bounds what is kept of an utterance: 30 s, as a recording of llm/stt.
const keptFrames = int(30 * time.Second / audio.FrameDuration)

// remote is a recogniser elsewhere. When its service does not have the model, the built-in
// recogniser hears the same utterance, and those that follow for a while.
type remote struct {
	engine stt.Engine
	make   func() (stt.Engine, error) // the built-in one

	mu    sync.Mutex
	local stt.Engine // made when it is first needed
	why   error      // why the service lacks its model; nil: it has it
	until time.Time
}

func newRemote(engine stt.Engine, local func() (stt.Engine, error)) *remote {
	return &remote{engine: engine, make: local}
}

// missing is why the built-in recogniser is used, or nil.
func (s *remote) missing() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// noted keeps the last answer of the service.
func (s *remote) noted(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why, s.until = why, time.Now().Add(awayTime)
}

// away reports whether the service is left alone for now.
func (s *remote) away() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why != nil && time.Now().Before(s.until)
}

// Open begins an utterance.
func (s *remote) Open(ctx context.Context) (stt.Stream, error) {
	st := &remoteStream{s: s, here: func() (stt.Stream, error) { return s.here(ctx) }}
	if !s.away() {
		there, err := s.engine.Open(ctx)
		if err != nil {
			return nil, err
		}
		st.there = there
	}
	return st, nil
}

// here begins an utterance with the built-in recogniser.
func (s *remote) here(ctx context.Context) (stt.Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.local == nil {
		local, err := s.make()
		if err != nil {
			return nil, fmt.Errorf("set up the built-in recogniser: %w", err)
		}
		s.local = local
	}
	return s.local.Open(ctx)
}

// remoteStream is one utterance.
type remoteStream struct {
	s      *remote
	there  stt.Stream // nil: the service is not asked
	here   func() (stt.Stream, error)
	frames []audio.Frame
}

func (st *remoteStream) Write(f *audio.Frame) error {
	if len(st.frames) < keptFrames {
		st.frames = append(st.frames, *f)
	}
	if st.there == nil {
		return nil
	}
	return st.there.Write(f)
}

func (st *remoteStream) Finish(ctx context.Context) (llm.Transcript, error) {
	why := st.s.missing()
	if st.there != nil {
		t, err := st.there.Finish(ctx)
		switch {
		case err == nil:
			st.s.noted(nil)
			return t, nil
		case !errors.Is(err, llm.ErrModel):
			return t, err
		}
		st.s.noted(err)
		why = err
	}
	t, err := st.again(ctx)
	if err != nil { // the error of the service is the one that a person can mend
		return llm.Transcript{}, errors.Join(why, err)
	}
	return t, nil
}

// again gives the whole utterance to the built-in recogniser.
func (st *remoteStream) again(ctx context.Context) (llm.Transcript, error) {
	stream, err := st.here()
	if err != nil {
		return llm.Transcript{}, err
	}
	defer stream.Close()
	for i := range st.frames {
		if err := stream.Write(&st.frames[i]); err != nil {
			return llm.Transcript{}, err
		}
	}
	return stream.Finish(ctx)
}

func (st *remoteStream) Close() error {
	st.frames = nil
	if st.there == nil {
		return nil
	}
	return st.there.Close()
}
