package music

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hearthd/audio"
	"hearthd/media"
	"hearthd/media/player"
)

const (
	// What a Snapcast server expects of a pipe, unless it is told another format.
	pipeRate, pipeChannels = 48000, 2
	// pipeBlock is what is written at a time, in samples; pipeSize is what the pipe may hold, in bytes: 85 ms, which a
	// pause has to wait for.
	pipeBlock, pipeSize = pipeRate / 50, 16 << 10
	// idle is how long the pipe is kept open when nothing sounds.
	idle = time.Second
	// unread is how long nobody may read it.
	unread = 5 * time.Second
)

// Everywhere plays on all boxes together: into the pipe of a Snapcast server, of which each box has a client among its
// sources. The server keeps time. Its player takes the pipe for a speaker, which is there while the server reads it.
type Everywhere struct {
	*player.Player
	mixer *audio.Mixer
	path  string
	bell  audio.Doorbell
	log   *slog.Logger
}

func newEverywhere(path string, source player.Source, failed func(media.Item, error), log *slog.Logger) (*Everywhere,
	error) {
	e := &Everywhere{mixer: audio.NewMixer(100), path: path, bell: audio.NewDoorbell(), log: log}
	var err error
	e.Player, err = player.New(player.Options{Mixer: e.mixer, Wake: e.bell.Ring, Source: source, Volume: 100,
		Changed: func(media.Now) {}, Failed: failed, Log: log})
	return e, err
}

// pour fills the pipe whenever something is to be played, until ctx ends.
func (e *Everywhere) pour(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-e.bell.C():
		}
		if err := e.fill(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("not played everywhere", "component", "media", "error", err)
		}
	}
}

// fill writes what is mixed until that has been silence for a while, at the pace of who reads.
func (e *Everywhere) fill(ctx context.Context) error {
	// Not for writing alone: a server closes and opens it again while there is nothing in it.
	f, err := os.OpenFile(e.path, os.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return fmt.Errorf("open %s: %w", e.path, syscall.ENOTSUP)
	}
	if c, err := f.SyscallConn(); err == nil { // and not by Fd, after which Write has no deadline
		_ = c.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) }) // else it holds more
	}
	defer context.AfterFunc(ctx, func() { _ = f.Close() })()
	if err := write(f, make([]byte, 2*pipeSize)); err != nil { // more than it holds: somebody reads
		return err
	}
	e.mixer.SetRate(pipeRate)
	defer e.mixer.SetRate(0)
	mono, block := make([]int16, pipeBlock), make([]byte, 0, pipeBlock*pipeChannels*2)
	for silent := 0; silent < int(idle.Seconds()*pipeRate); silent += pipeBlock {
		if e.Sounding() {
			silent = 0
		}
		e.mixer.Mix(mono)
		block = block[:0]
		for _, v := range mono {
			for range pipeChannels {
				block = binary.LittleEndian.AppendUint16(block, uint16(v))
			}
		}
		if err := write(f, block); err != nil {
			return err
		}
	}
	return nil
}

func write(f *os.File, data []byte) error {
	if err := f.SetWriteDeadline(time.Now().Add(unread)); err != nil {
		return err
	}
	_, err := f.Write(data)
	return err
}
