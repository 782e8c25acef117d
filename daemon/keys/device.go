package keys

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// device is what the kernel says of an input device.
type device struct {
	name  string
	codes []uint64 // a bit for each key that it has, the lowest first
}

func (d *device) has(code uint16) bool {
	word := int(code) / 64
	return word < len(d.codes) && d.codes[word]&(1<<(code%64)) != 0
}

// keyboard reports whether text can be typed on it: it has the letters of the upper
// row, KEY_Q to KEY_P. A remote control has a few letters at most.
func (d *device) keyboard() bool {
	for code := uint16(16); code <= 25; code++ {
		if !d.has(code) {
			return false
		}
	}
	return true
}

// maxAttribute bounds a file of sysfs, in bytes: a page.
const maxAttribute = 4096

// look reads the description of /dev/input/NODE from sysfs, so that the device need not be opened.
func (k *Keys) look(node string) (d device, err error) {
	dir := filepath.Join(k.opt.root, "/sys/class/input", node, "device")
	name, err := os.ReadFile(filepath.Join(dir, "name"))
	if err != nil {
		return d, err
	}
	d.name = strings.TrimSpace(string(name[:min(len(name), maxAttribute)]))
	bits, err := os.ReadFile(filepath.Join(dir, "capabilities", "key"))
	if err != nil {
		return d, err
	}
	d.codes, err = parseBits(string(bits[:min(len(bits), maxAttribute)]), strconv.IntSize)
	return d, err
}

// parseBits reads a bitmap as sysfs writes it: words of size bits in hexadecimal, the
// highest first, without leading zeros. To a program of 32 bits a kernel of 64 writes
// words of 32.
func parseBits(text string, size int) ([]uint64, error) {
	words := strings.Fields(text)
	slices.Reverse(words)
	out := make([]uint64, (len(words)*size+63)/64)
	for i, w := range words {
		v, err := strconv.ParseUint(w, 16, size)
		if err != nil {
			return nil, fmt.Errorf("read keys of a device: %w", err)
		}
		at := i * size
		out[at/64] |= v << (at % 64)
	}
	return out, nil
}

// wanted reports whether a device is to be read.
func (k *Keys) wanted(d *device) bool {
	for _, name := range k.opt.Devices {
		if name != auto {
			if strings.Contains(strings.ToLower(d.name), strings.ToLower(name)) {
				return true
			}
			continue
		}
		if d.keyboard() {
			continue
		}
		for code := range k.opt.Actions {
			if d.has(code) {
				return true
			}
		}
	}
	return false
}

// event is struct input_event of linux/input.h without its time.
type event struct {
	Type, Code uint16
	Value      int32
}

// Of linux/input-event-codes.h, and the values of a key.
const (
	evKey   = 1
	pressed = 1
	held    = 2
)

// eventSize is the size of struct input_event: a timeval of two words and 8 bytes. It
// is that of the program, whatever the kernel's is.
const eventSize = 2*strconv.IntSize/8 + 8

// batch is how many events are taken in one read.
const batch = 16

// readEvents calls take with each event of r, which has size bytes, until r ends.
func readEvents(r io.Reader, size int, take func(event)) error {
	buf := make([]byte, batch*size)
	have := 0
	for {
		n, err := r.Read(buf[have:])
		have += n
		at := 0
		for ; have-at >= size; at += size {
			b := buf[at+size-8:]
			take(event{
				Type: binary.NativeEndian.Uint16(b), Code: binary.NativeEndian.Uint16(b[2:]),
				Value: int32(binary.NativeEndian.Uint32(b[4:])),
			})
		}
		have = copy(buf, buf[at:have])
		if err != nil {
			return err
		}
	}
}
