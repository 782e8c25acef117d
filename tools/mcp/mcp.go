package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"hearthd/llm/proc"
	"hearthd/tools"
)

// Bounds of servers.
const (
	maxServers = 32
	maxTools   = 64 // offered of one server; each costs tokens of every prompt
	maxListed  = 512
	// maxMessage bounds one message of a server, in bytes.
	maxMessage = 4 << 20

	connectLimit   = 20 * time.Second // a program may have to be loaded from a memory card
	listLimit      = 10 * time.Second
	defaultTimeout = 30 * time.Second
	maxTimeout     = 10 * time.Minute
	// refresh is how often the tools of a server are listed again. That also shows that it is
	// there: not every server reports changes or answers pings.
	refresh  = time.Minute
	firstTry = time.Second // between two tries to connect, doubled up to lastTry
	lastTry  = time.Minute
)

// serverName is a valid name of a server, with which the names of its tools begin.
var serverName = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)

// Server is one server: a program or an address.
type Server struct {
	Name    string   // short: its tools are called NAME_tool
	Command []string // program and arguments, run without a shell; or
	URL     string   // streamable HTTP; an address that ends in /sse is of the older kind
	// Secret is sent as a bearer token, or in the header that SecretIn names; a
	// program finds it in the environment variable that SecretIn names.
	Secret, SecretIn string
	// Allow, Confirm and ReadOnly are patterns of the server's own names of tools, with a * at
	// the end for any ending: tools that are offered at all, that a person has to confirm,
	// and that change nothing.
	Allow, Confirm, ReadOnly []string
	Timeout                  time.Duration // of a call; 0: 30 s
}

// Options says which servers there are.
type Options struct {
	Servers  []Server
	Registry *tools.Registry
	Version  string // of hearthd, for the servers
	// Changed is called when a server comes (nil) and goes. It must not block.
	Changed func(server string, err error)
	Pins    pins
	// Withheld is called with the definitions of a server that wait for the owner, when they
	// have changed; none: all is well. It must not block.
	Withheld func(server string, changes []Change)
	Log      *slog.Logger
}

// Client keeps the connections.
type Client struct {
	opt     Options
	servers []*server
}

// New checks the options and connects to nothing yet.
func New(o Options) (*Client, error) {
	if o.Registry == nil || o.Changed == nil || o.Pins == nil || o.Withheld == nil || o.Log == nil {
		return nil, errors.New("new mcp client: a part is missing")
	}
	if len(o.Servers) > maxServers {
		return nil, fmt.Errorf("new mcp client: more than %d servers", maxServers)
	}
	c := &Client{opt: o}
	for _, s := range o.Servers {
		if err := s.check(); err != nil {
			return nil, fmt.Errorf("mcp server %q: %w", s.Name, err)
		}
		if slices.ContainsFunc(c.servers, func(other *server) bool { return other.Name == s.Name }) {
			return nil, fmt.Errorf("mcp server %q: the name is used twice", s.Name)
		}
		if s.Timeout == 0 {
			s.Timeout = defaultTimeout
		}
		c.servers = append(c.servers, &server{
			Server: s, opt: &c.opt, log: o.Log.With("component", "mcp", "server", s.Name), look: make(chan struct{}, 1),
		})
	}
	return c, nil
}

func (s *Server) check() error {
	if !serverName.MatchString(s.Name) {
		return fmt.Errorf("the name must match %s", serverName)
	}
	if (len(s.Command) > 0) == (s.URL != "") {
		return errors.New("want a command or an address")
	}
	if s.Timeout < 0 || s.Timeout > maxTimeout {
		return fmt.Errorf("the timeout is not within 0 to %v", maxTimeout)
	}
	for _, list := range [][]string{s.Allow, s.Confirm, s.ReadOnly} {
		for _, p := range list {
			if _, err := path.Match(p, ""); err != nil || strings.ContainsAny(strings.TrimSuffix(p, "*"), `*?[\`) {
				return fmt.Errorf("%q is neither a name nor the beginning of one followed by *", p)
			}
		}
	}
	if s.URL == "" {
		return proc.CheckArgv(s.Command)
	}
	u, err := url.Parse(s.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil {
		return errors.New("the address must begin with http:// or https:// and hold no password")
	}
	return nil
}

// unkeyed is err without the query of the address, which may hold a key and which the errors
// of the library show.
func (s *Server) unkeyed(err error) error {
	_, query, ok := strings.Cut(s.URL, "?")
	if err == nil || !ok || query == "" {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), query, "…"))
}

// matches reports whether name matches one of the patterns.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		prefix, any := strings.CutSuffix(p, "*")
		return name == p || any && strings.HasPrefix(name, prefix)
	})
}

// Run offers the tools of the servers that are reachable, until ctx ends. It returns nil after
// all connections are closed and all programs have ended.
func (c *Client) Run(ctx context.Context) error {
	var all sync.WaitGroup
	for _, s := range c.servers {
		all.Go(func() { s.run(ctx) })
	}
	all.Wait()
	<-ctx.Done() // also if there are no servers
	return nil
}
