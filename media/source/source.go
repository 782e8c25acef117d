// Package source makes samples of what is played. It fetches a stream itself, within the rules of package fetch, reads
// playlists and the titles that stations send, and gives the rest to ffmpeg, a child process that may open nothing but
// what it is given. A stream runs the goroutines of one HTTP request and of one process, which have ended when it is
// closed.
package source

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"hearthd/llm/proc"
	"hearthd/media"
	"hearthd/tools/fetch"
)

const (
	// begins is the time that an answer has for its beginning, or for a whole playlist, and then a stream for its first
	// sample: those that send 32 kbit/s, and probing takes probeBytes, need 4 s.
	begins = 15 * time.Second
	// stalls is the time without a byte after which a stream is lost.
	stalls = 20 * time.Second
	// ahead bounds what is read before the first sample: a header may promise any length, and pictures in tags have
	// some megabytes.
	ahead = 32 << 20
	// skipSpeed is how many times as fast as it plays an episode is at least read up to the place where it goes on, and
	// skipBytes bounds what a second of it takes until there: a feed may have films.
	skipSpeed, skipBytes = 10, 256 << 10
)

// Options are what sources are made with.
type Options struct {
	Client *fetch.Client
	FFmpeg string // program
	Log    *slog.Logger
}

// Sources open streams.
type Sources struct {
	Options
	begins time.Duration
}

// New checks the options.
func New(o Options) (*Sources, error) {
	if o.Client == nil || o.FFmpeg == "" || o.Log == nil {
		return nil, errors.New("make sources: a client, a decoder and a logger are needed")
	}
	return &Sources{o, begins}, nil
}

// Stream is an item as it is decoded. It is used by one goroutine.
type Stream struct {
	cause   func() error // of the end of its context, or nil
	cancel  context.CancelCauseFunc
	process *proc.Process
	body    *feed // nil: ffmpeg reads a file
	first   []byte
}

// Open begins to decode an item at a place, as mono samples of 16 bits, little endian, at a rate, and returns when
// there are some. The error is a media.Problem, or that of ctx. It calls told with each title that the stream tells.
func (s *Sources) Open(ctx context.Context, it media.Item, from time.Duration, rate int,
	told func(title string)) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	st := &Stream{cause: func() error { return context.Cause(ctx) }, cancel: cancel}
	if err := s.begin(ctx, st, it, from, rate, told); err != nil {
		cancel(nil)
		return nil, err
	}
	limit := time.AfterFunc(s.begins+from/skipSpeed, func() { cancel(media.Nothing) })
	buf := make([]byte, 4096)
	n, err := io.ReadAtLeast(st.process, buf, 2)
	limit.Stop()
	if n < 2 {
		err = st.why(err)
		reason := st.process.Close()
		if errors.Is(err, io.EOF) {
			s.Log.Info("media not decoded", "component", "media", "reason", reason)
			err = media.NoSound
		}
		return nil, errors.Join(err, st.Close())
	}
	st.first = buf[:n]
	if st.body != nil {
		st.body.begun.Store(true)
	}
	return st, nil
}

// begin fetches what is to be decoded, and starts the process.
func (s *Sources) begin(ctx context.Context, st *Stream, it media.Item, from time.Duration, rate int,
	told func(string)) error {
	argv := []string{s.FFmpeg, "-hide_banner", "-nostdin", "-loglevel", "error", "-threads", "1",
		"-probesize", strconv.Itoa(probeBytes), "-analyzeduration", "1500000"}
	in, opens := "pipe:0", "pipe"
	var stdin io.Reader
	if it.Path != "" {
		if _, err := os.Stat(it.Path); err != nil {
			return media.Gone
		}
		in, opens = "file:"+it.Path, "file,pipe"
		argv = append(argv, "-format_whitelist", formats)
	} else {
		body, err := s.follow(ctx, address{it.URL, it.Outside}, told, maxDepth)
		if err != nil {
			return err
		}
		st.body = &feed{body: body, cancel: st.cancel, most: ahead + int64(from.Seconds())*skipBytes}
		stdin = st.body
	}
	argv = append(argv, "-protocol_whitelist", opens)
	if from > 0 {
		argv = append(argv, "-ss", strconv.FormatFloat(from.Seconds(), 'f', 3, 64))
	}
	argv = append(argv, "-i", in, "-map", "0:a:0", "-map_metadata", "-1", "-ac", "1", "-ar", strconv.Itoa(rate),
		"-f", "s16le", "pipe:1")
	var err error
	if st.process, err = proc.Start(ctx, argv, stdin); err != nil {
		s.Log.Error("start decoder", "component", "media", "error", err)
		err = media.NoDecoder
		if st.body != nil {
			err = errors.Join(err, st.body.body.Close())
		}
		return err
	}
	return nil
}

// formats are those of files with sound in them, and not those that lead to other files.
const formats = "aac,aiff,ape,asf,au,avi,caf,dsf,flac,matroska,webm,mov,mp3,mpc,mpc8,mpeg,mpegts,ogg,tta,w64,wav,wv"

// probeBytes is what ffmpeg reads to tell what it is given.
const probeBytes = 128 << 10

// Read implements io.Reader. At the end of the item it gives io.EOF, else a media.Problem or the error of the context.
func (st *Stream) Read(p []byte) (int, error) {
	if len(st.first) > 0 {
		n := copy(p, st.first)
		st.first = st.first[n:]
		return n, nil
	}
	n, err := st.process.Read(p)
	if err != nil {
		err = st.why(err)
	}
	return n, err
}

// why is why there are no more samples: the cause of the end of the context, a body that broke off, or io.EOF.
func (st *Stream) why(err error) error {
	switch cause := st.cause(); {
	case cause != nil:
		return cause
	case st.body != nil && st.body.broke.Load():
		return media.Lost
	}
	return err
}

// Close ends the request and the process, and waits for it.
func (st *Stream) Close() error {
	st.cancel(nil)
	_ = st.process.Close() // it was told to end, and says that it was
	if st.body == nil {
		return nil
	}
	return st.body.body.Close()
}

// feed is what ffmpeg reads. It ends the stream when nothing comes for too long, or too much before the first sample.
type feed struct {
	body   io.ReadCloser
	cancel context.CancelCauseFunc
	begun  atomic.Bool // there were samples
	broke  atomic.Bool // the body ended with an error
	read   int64       // before there were
	most   int64       // of that
}

// Read implements io.Reader.
func (f *feed) Read(p []byte) (int, error) {
	limit := time.AfterFunc(stalls, func() { f.cancel(media.Lost) })
	n, err := f.body.Read(p)
	limit.Stop()
	if err != nil && err != io.EOF {
		f.broke.Store(true)
	}
	if !f.begun.Load() {
		if f.read += int64(n); f.read > f.most {
			f.cancel(media.Nothing)
		}
	}
	return n, err
}
