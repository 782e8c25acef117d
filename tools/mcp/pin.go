package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pins keep what the owner has agreed to: the hash of each tool's definition, by the server's
// name for the tool. A server without any is new: its first definitions are accepted, since
// the owner has just configured it.
type pins interface {
	ToolPins(ctx context.Context, server string) (map[string]string, error)
	PinTools(ctx context.Context, server string, hashes map[string]string) error
}

// Change is a definition that the owner has not agreed to. Until then the tool is not offered.
type Change struct {
	Server, Tool string
	Hash         string
	New          bool   // there was no such tool before
	Description  string // what it says of itself now
}

// ErrOther says that a server has changed a definition since the owner saw it.
var ErrOther = errors.New("the server says something else by now; look again")

// digest is the hash of everything in a definition that may influence how a tool is used.
func digest(t *mcp.Tool) (string, error) {
	text, err := json.Marshal([]any{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations})
	if err != nil {
		return "", fmt.Errorf("read definition: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// inOrder sorts what has none in a schema, its choices and the names of what must be there: Home Assistant tells its
// choices in another order after each of its starts.
func inOrder(schema any) {
	switch v := schema.(type) {
	case map[string]any:
		for key, inner := range v {
			if list, is := inner.([]any); is && (key == "enum" || key == "required") {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			inOrder(inner)
		}
	case []any:
		for _, inner := range v {
			inOrder(inner)
		}
	}
}

// agreed returns the tools that the owner has agreed to. It keeps the others for Changes, and
// calls Withheld if they have changed.
func (s *server) agreed(ctx context.Context, listed []*mcp.Tool) ([]*mcp.Tool, error) {
	pinned, err := s.opt.Pins.ToolPins(ctx, s.Name)
	if err != nil {
		return nil, err
	}
	hashes, older := make(map[string]string, len(listed)), make(map[string]string, len(listed))
	for _, t := range listed {
		if older[t.Name], err = digest(t); err != nil { // hearthd agreed to this before it sorted
			return nil, err
		}
		inOrder(t.InputSchema)
		inOrder(t.OutputSchema)
		if hashes[t.Name], err = digest(t); err != nil {
			return nil, err
		}
	}
	if len(pinned) == 0 && len(hashes) > 0 {
		s.log.InfoContext(ctx, "tools of a new server accepted as they are", "tools", len(hashes))
		return listed, s.opt.Pins.PinTools(ctx, s.Name, hashes)
	}
	var good []*mcp.Tool
	var changes []Change
	for _, t := range listed {
		was, known := pinned[t.Name]
		switch {
		case was == hashes[t.Name] || was == older[t.Name]:
			good = append(good, t)
		case matches(s.Allow, t.Name):
			changes = append(changes, Change{s.Name, t.Name, hashes[t.Name], !known,
				clean(t.Description, maxDescription)})
		}
	}
	before := s.changes.Swap(&changes)
	if before == nil {
		before = new([]Change)
	}
	if !slices.Equal(*before, changes) {
		s.log.WarnContext(ctx, "tools changed, they wait for the owner", "count", len(changes))
		s.opt.Withheld(s.Name, changes)
	}
	return good, nil
}

// Changes are the definitions that wait for the owner.
func (c *Client) Changes() []Change {
	var all []Change
	for _, s := range c.servers {
		if waiting := s.changes.Load(); waiting != nil {
			all = append(all, *waiting...)
		}
	}
	return all
}

// Accept offers a tool as its server describes it now, with that hash. The error matches
// ErrOther if it does not wait, or has changed again.
func (c *Client) Accept(ctx context.Context, server, tool, hash string) error {
	for _, s := range c.servers {
		waiting := s.changes.Load()
		if s.Name != server || waiting == nil {
			continue
		}
		if slices.ContainsFunc(*waiting, func(w Change) bool { return w.Tool == tool && w.Hash == hash }) {
			if err := s.opt.Pins.PinTools(ctx, server, map[string]string{tool: hash}); err != nil {
				return err
			}
			s.lookAgain()
			return nil
		}
	}
	return fmt.Errorf("accept tool %q of %q: %w", clean(tool, maxName), clean(server, maxName), ErrOther)
}
