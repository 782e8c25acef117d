package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Longest texts that are taken.
const (
	maxText = 1000
	maxList = 64
)

const (
	nodeName    = `^[A-Za-z0-9_-]{1,64}$`
	topicLevel  = `^[A-Za-z0-9_-]{1,64}$`
	wordName    = `^[\p{L}0-9'-]+( [\p{L}0-9'-]+){0,7}$`
	countryCode = `^[a-z]{2}$`
	wakePhrase  = `^[a-z']+( [a-z']+){0,4}$`
)

// checker collects what is wrong with values.
type checker struct {
	problems Problems
}

func (k *checker) add(key, value, reason string) {
	k.problems = append(k.problems, Problem{Key: key, Value: value, Reason: reason})
}

// inHouse reports whether host is of the house: an address of a private network, or a name that only it resolves.
func inHouse(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") ||
		strings.HasSuffix(host, ".lan") || strings.HasSuffix(host, ".home.arpa") || strings.HasSuffix(host, ".internal")
}

// hostOf is the host of host:port; a unix socket is in the house.
func hostOf(address string) string {
	if strings.HasPrefix(address, "unix:") {
		return "localhost"
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return "localhost" // address() has already refused it
	}
	return host
}

func (k *checker) filled(key, value string) {
	if strings.TrimSpace(value) == "" {
		k.add(key, value, "must not be empty")
	}
}

func (k *checker) allFilled(key string, list []string) {
	for i, name := range list {
		k.filled(fmt.Sprintf("%s[%d]", key, i), name)
	}
}

func (k *checker) short(key, value string) {
	if len(value) > maxText {
		k.add(key, "", fmt.Sprintf("is longer than %d bytes", maxText))
	}
}

// oneOf refuses all but choices; "" stands first where the key may be left out.
func (k *checker) oneOf(key, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		k.add(key, value, "must be one of "+strings.TrimPrefix(strings.Join(choices, ", "), ", "))
	}
}

func (k *checker) match(key, value string, pattern string, reason string) {
	if !regexp.MustCompile(pattern).MatchString(value) {
		k.add(key, value, reason)
	}
}

func (k *checker) between(key string, value, low, high int) {
	if value < low || value > high {
		k.add(key, fmt.Sprint(value), fmt.Sprintf("must be between %d and %d", low, high))
	}
}

func (k *checker) duration(key string, value, low, high time.Duration) {
	if value < low || value > high {
		k.add(key, value.String(), fmt.Sprintf("must be between %v and %v", low, high))
	}
}

func (k *checker) command(key string, argv []string) {
	switch {
	case len(argv) == 0 || argv[0] == "":
		k.add(key, "", "must name a program")
	case strings.Contains(argv[0], "/") && !strings.HasPrefix(argv[0], "/"):
		k.add(key, argv[0], "must be an absolute path or a name on PATH")
	case strings.ContainsRune(strings.Join(argv, ""), 0):
		k.add(key, "", "holds a zero byte, which no argument may")
	}
}

func (k *checker) http(key, value string) {
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		k.add(key, "", "must be an http:// or https:// address without user and password")
	}
}

func (k *checker) address(key, value string) {
	if path, ok := strings.CutPrefix(value, "unix:"); ok {
		if !strings.HasPrefix(path, "/") {
			k.add(key, value, "must be unix:/PATH or HOST:PORT")
		}
		return
	}
	k.hostPort(key, value)
}

func (k *checker) hostPort(key, value string) {
	if host, port, err := net.SplitHostPort(value); err != nil || host == "" || port == "" {
		k.add(key, value, "must be HOST:PORT")
	}
}

// Problem is one mistake in the configuration, with its place.
type Problem struct {
	File   string // file, or "environment", or "" for a default
	Line   int    // 1-based, 0 where there is none
	Key    string // path such as "audio.volume", or the variable's name
	Value  string // as written; empty for secrets
	Reason string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	if p.Value != "" {
		fmt.Fprintf(&b, "%q: ", p.Value)
	}
	b.WriteString(p.Reason)
	return b.String()
}

// Problems is every mistake that was found, as one error.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
