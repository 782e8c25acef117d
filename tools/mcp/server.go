package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/tools"
)

// versions are the handshakes that are tried: server/discover, for the newest version that the
// library knows, which falls back to an initialize request if that is refused; and an
// initialize request alone, for older servers that an unknown request breaks.
var versions = []string{"", "2025-11-25"}

var (
	errGone    = errors.New("the server is not connected")
	errUseless = errors.New("none of its tools is allowed and usable")
)

// server is one server and its connection.
type server struct {
	Server
	opt  *Options
	log  *slog.Logger
	look chan struct{} // cap 1: the tools may have changed, or the connection may be dead

	session atomic.Pointer[mcp.ClientSession] // nil while there is none
	changes atomic.Pointer[[]Change]          // that wait for the owner; nil: none ever did

	// These belong to run's goroutine:
	listed  []tools.Tool    // allowed tools, as they were listed last
	offered []tools.Tool    // those of them that the registry has accepted
	told    bool            // it was reported that the server is gone
	known   map[string]bool // complaints about tools that were logged
}

// run reconnects until ctx ends.
func (s *server) run(ctx context.Context) {
	pause := firstTry
	for ctx.Err() == nil {
		begun := time.Now()
		err := s.unkeyed(s.serve(ctx))
		s.withdraw()
		if ctx.Err() != nil {
			return
		}
		if !s.told {
			s.told = true
			s.log.WarnContext(ctx, "server gone, its tools are not offered", "error", err)
			s.opt.Changed(s.Name, err)
		}
		if time.Since(begun) > lastTry {
			pause = firstTry // it has worked for a while
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, lastTry)
	}
}

// serve connects once, and offers the tools until the server is gone.
func (s *server) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	session, end, err := s.connect(ctx)
	if err != nil {
		return err
	}
	gone := make(chan error, 1)
	go func() { gone <- session.Wait() }()
	// Its end first: with a program that reads nothing, the library waits for what it writes to it.
	defer func() { end(); session.Close(); <-gone }() //nolint:errcheck // it is of no use any more
	for {
		stuck := time.AfterFunc(listLimit+leaveLimit, end)
		err := s.update(ctx, session)
		if stuck.Stop(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case err := <-gone:
			gone <- err
			return errors.Join(errGone, err)
		case <-s.look:
		case <-time.After(refresh):
		}
	}
}

// connect opens a session; end releases what it runs on.
func (s *server) connect(ctx context.Context) (session *mcp.ClientSession, end func(), err error) {
	var first error
	for _, version := range versions {
		session, end, err = s.begin(ctx, version)
		if err == nil || ctx.Err() != nil {
			return session, end, err
		}
		first = cmp.Or(first, err)
	}
	return nil, nil, fmt.Errorf("connect: %w", first)
}

// begin opens a session by the handshake of a version.
func (s *server) begin(ctx context.Context, version string) (session *mcp.ClientSession, end func(), err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "hearthd", Version: s.opt.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{}, // no roots, no sampling: a server cannot ask hearthd for anything
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			s.lookAgain()
		},
	})
	ctx, cancel := context.WithCancel(ctx)
	t, leave, err := s.transport(ctx)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	end = func() { leave(); cancel() }
	// The limit is for the handshake; the connection lives as long as ctx.
	limit := time.AfterFunc(connectLimit, end)
	session, err = client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if !limit.Stop() && err == nil {
		err = errors.New("no answer in time")
	}
	if err != nil {
		end()
		return nil, nil, err
	}
	return session, end, nil
}

// lookAgain makes serve list the tools soon.
func (s *server) lookAgain() {
	select {
	case s.look <- struct{}{}:
	default:
	}
}

// update lists the tools, and offers them if they have changed.
func (s *server) update(ctx context.Context, session *mcp.ClientSession) error {
	lctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	var listed []*mcp.Tool
	for t, err := range session.Tools(lctx, nil) {
		if err != nil {
			return fmt.Errorf("list tools: %w", err)
		}
		if len(listed) == maxListed {
			s.complain(ctx, "", fmt.Errorf("it has more than %d tools", maxListed))
			break
		}
		listed = append(listed, t)
	}
	good, err := s.agreed(ctx, listed)
	if err != nil {
		return err
	}
	found := s.usable(ctx, good)
	if slices.EqualFunc(found, s.listed, same) && s.session.Load() == session {
		return nil
	}
	s.withdraw()
	s.listed = found
	s.session.Store(session)
	for _, t := range found {
		if err := s.opt.Registry.Register(t); err != nil {
			s.complain(ctx, t.Spec().Name, err)
			continue
		}
		s.offered = append(s.offered, t)
	}
	if len(s.offered) == 0 {
		s.complain(ctx, "", errUseless)
	}
	s.log.InfoContext(ctx, "server connected", "tools", len(s.offered), "of", len(listed))
	s.told = false
	s.opt.Changed(s.Name, nil)
	return nil
}

// usable makes tools of the definitions that are allowed.
func (s *server) usable(ctx context.Context, listed []*mcp.Tool) (found []tools.Tool) {
	for _, t := range listed {
		if !matches(s.Allow, t.Name) {
			continue
		}
		if len(found) == maxTools {
			s.complain(ctx, "", fmt.Errorf("more than %d of its tools are allowed", maxTools))
			break
		}
		r, err := s.remote(t)
		if err != nil {
			s.complain(ctx, t.Name, err)
			continue
		}
		found = append(found, r)
	}
	return found
}

// complain logs what is wrong with a tool, each thing once.
func (s *server) complain(ctx context.Context, tool string, err error) {
	if s.known == nil {
		s.known = make(map[string]bool)
	}
	if key := tool + " " + err.Error(); !s.known[key] && len(s.known) < 2*maxListed {
		s.known[key] = true
		s.log.WarnContext(ctx, "tool of a server refused", "tool", clean(tool, 64), "error", err)
	}
}

// withdraw removes the tools from the registry.
func (s *server) withdraw() {
	s.session.Store(nil)
	for _, t := range s.offered {
		s.opt.Registry.Withdraw(t.Spec().Name)
	}
	s.listed, s.offered = nil, nil
}
