package testcard

import (
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const microphone = "microphone"

// Microphone is the sound in front of the card. The card's clock paces the
// writer, who can be ahead of it by the 64 KiB of a pipe, 0.7 s at Rate: less
// would let a busy machine tear holes into speech. What was written before a
// capture device is opened is not heard. After the last write the room is silent.
type Microphone struct {
	file *os.File
}

// OpenMicrophone opens the card's input for writing mono S16 at Rate, in whole
// samples.
func (c *Card) OpenMicrophone() (*Microphone, error) {
	// Both ways, so that opening and writing need no reader and a reader that
	// goes away is no broken pipe.
	file, err := os.OpenFile(c.path(microphone), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open microphone: %w", err)
	}
	return &Microphone{file: file}, nil
}

// Write feeds samples to the card. It blocks while the pipe is full.
func (m *Microphone) Write(p []byte) (int, error) { return m.file.Write(p) }

// Close ends a blocked Write.
func (m *Microphone) Close() error { return m.file.Close() }

// Drain waits until the card has captured all that was written.
func (m *Microphone) Drain(ctx context.Context) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		left, err := m.buffered()
		if err != nil {
			return fmt.Errorf("drain microphone: %w", err)
		}
		if left == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// buffered is the number of bytes that the card has not captured yet.
func (m *Microphone) buffered() (n int, err error) {
	conn, err := m.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	ctrlErr := conn.Control(func(fd uintptr) {
		n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	})
	if err == nil {
		err = ctrlErr
	}
	return n, err
}
