package keys

import (
	"fmt"
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

// look reads what sysfs tells of /dev/input/NODE, for which the device need not be
// opened.
func (k *Keys) look(node string) (d device, err error) {
	dir := filepath.Join(k.opt.Root, "/sys/class/input", node, "device")
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
		if name != Auto {
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
