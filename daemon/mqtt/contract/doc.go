// Package contract is what hearthd promises on MQTT, as data: the topics that a box publishes, the
// commands that it accepts, the tables of packaging/mqtt.md, and the document by which Home
// Assistant finds the box. The bridge is built on it, and hearthctl prints the document without a
// daemon.
//
// It runs no goroutine, owns no buffer, and imports no MQTT library.
package contract

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Version is the version of the contract. Topics, fields and commands may be added to a
// version; a change that would break a reader gets a new name instead.
const Version = 1

// Named is the name of a box: the configured one, or one made from the host's.
func Named(configured string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("name node: %w", err)
	}
	return Node(host), nil
}

// latin writes a letter with a mark as people do whose keyboard lacks it: ü as ue. The others keep theirs.
func latin(name string) string {
	return strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "œ", "oe", "ø", "oe", "å", "aa",
		"ł", "l", "đ", "d", "ı", "i").Replace(norm.NFC.String(name))
}

// Node makes a topic level out of the name of a host or a room: "küche" is "kueche".
func Node(name string) string {
	level := strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, norm.NFD.String(latin(name)))
	if len(level) > 64 {
		level = level[:64]
	}
	if level == "" {
		return "hearthd"
	}
	return level
}
