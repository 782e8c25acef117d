package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hearthd/config/letters"
	"hearthd/llm"
	"hearthd/llm/guard"
	"hearthd/tools"
)

const (
	maxName        = 64
	maxDescription = 600 // bytes of the description of a tool
	maxHint        = 200 // bytes of the description of a parameter
	maxSchema      = 16 << 10
	maxResult      = 64 << 10 // bytes of text of an answer
	maxLinks       = 20
	// lostLow to lostHigh are the codes that the library itself sets when a request or its
	// answer is lost (its internal jsonrpc2.ErrRejected to ErrUnknown).
	lostLow, lostHigh = -32005, -32001
)

// remote is a tool of a server.
type remote struct {
	server *server
	name   string // as the server calls it
	spec   llm.ToolSpec
	limits tools.Limits
}

// remote makes a tool from the definition of a server.
func (s *server) remote(t *mcp.Tool) (tools.Tool, error) {
	schema, err := parameters(t.InputSchema)
	if err != nil {
		return nil, err
	}
	said := clean(t.Description, maxDescription)
	if said == "" {
		said = clean(t.Title+" "+t.Name, maxDescription)
	}
	// A stranger wrote it, and a model reads it with every request.
	said = strings.NewReplacer("“", "'", "”", "'").Replace(said)
	said = fmt.Sprintf("The server %s says of it: “%s”", s.Name, said)
	r := &remote{
		server: s, name: t.Name,
		spec: llm.ToolSpec{
			Name: toolName(s.Name, t.Name), Description: said, Parameters: schema,
			// What the server itself says about effects is only a hint and is ignored.
			ReadOnly: matches(s.ReadOnly, t.Name),
		},
		limits: tools.Limits{Timeout: s.Timeout, Confirm: matches(s.Confirm, t.Name)},
	}
	return r, nil
}

func same(a, b tools.Tool) bool { return reflect.DeepEqual(a.Spec(), b.Spec()) }

func (r *remote) Spec() llm.ToolSpec   { return r.spec }
func (r *remote) Limits() tools.Limits { return r.limits }
func (r *remote) Origin() string       { return "server " + r.server.Name }

// Call asks the server. Its answer is foreign.
func (r *remote) Call(ctx context.Context, call tools.Call) (tools.Result, error) {
	say := fmt.Sprintf("Sorry, %s is not reachable.", r.server.Name)
	session := r.server.session.Load()
	if session == nil {
		return tools.Result{}, &tools.Failure{Say: say, Cause: errGone}
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: r.name, Arguments: call.Arguments})
	if err != nil {
		cause := r.server.unkeyed(err)
		if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && (refused.Code < lostLow || refused.Code > lostHigh) {
			say = fmt.Sprintf("Sorry, %s did not take that.", r.server.Name)
			return tools.Result{}, &tools.Failure{Say: say, Told: clean(refused.Message, maxHint), Cause: cause}
		}
		if ctx.Err() == nil {
			r.server.lookAgain()
		}
		return tools.Result{}, &tools.Failure{Say: say, Cause: cause}
	}
	result := read(res)
	if res.IsError {
		say = fmt.Sprintf("Sorry, that did not work at %s.", r.server.Name)
		return tools.Result{}, &tools.Failure{Say: say, Told: result.Text,
			Cause: errors.New("the server says that it did not work")}
	}
	return result, nil
}

// read turns an answer into a result. Pictures and sound are only mentioned.
func read(res *mcp.CallToolResult) tools.Result {
	result := tools.Result{Foreign: true, Data: res.StructuredContent}
	var texts []string
	size := 0
	for _, content := range res.Content {
		var text string
		switch c := content.(type) {
		case *mcp.TextContent:
			text = c.Text
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				text = c.Resource.Text
			}
		case *mcp.ResourceLink:
			title := c.Title
			if title == "" {
				title = c.Name
			}
			if len(result.Sources) < maxLinks {
				result.Sources = append(result.Sources, llm.Source{Title: clean(title, maxHint), URL: c.URI})
			}
		case *mcp.ImageContent:
			text = "(a picture)"
		case *mcp.AudioContent:
			text = "(a recording)"
		}
		if text != "" && size < maxResult {
			texts = append(texts, letters.Cut(text, maxResult-size))
			size += len(text)
		}
	}
	result.Text = strings.Join(texts, "\n")
	if result.Text == "" && res.StructuredContent != nil {
		if data, err := json.Marshal(res.StructuredContent); err == nil {
			result.Text = letters.Cut(string(data), maxResult)
		}
	}
	return result
}

// toolName is NAME_tool, in characters that every chat protocol accepts: HassTurnOn of ha
// becomes ha_hass_turn_on.
func toolName(server, tool string) string {
	var b strings.Builder
	b.WriteString(server + "_")
	last := '_'
	for _, r := range tool {
		switch {
		case unicode.IsUpper(r) && r < utf8.RuneSelf:
			if unicode.IsLower(last) || unicode.IsDigit(last) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case last != '_':
			b.WriteByte('_')
			last = '_'
			continue
		default:
			continue
		}
		last = r
	}
	return strings.Trim(letters.Cut(b.String(), maxName), "_")
}

// parameters is the schema of a server's tool, with the texts in it cleaned and cut. A model
// reads all of it with every request.
func parameters(schema any) (json.RawMessage, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	if len(text) > maxMessage/4 {
		return nil, errors.New("read schema: it is too long")
	}
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("read schema: it is not an object: %w", err)
	}
	if object == nil {
		return nil, errors.New("read schema: it is not an object")
	}
	if err := tidy(object, 0); err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	if object["type"] == nil {
		object["type"] = "object"
	}
	if text, err = json.Marshal(object); err == nil && len(text) > maxSchema {
		err = fmt.Errorf("read schema: more than %d bytes", maxSchema)
	}
	return text, err
}

// tidy cleans the descriptions in a schema and drops what is not for a model. Names and choices
// cannot be changed, because the server wants them as they are, so those that read like prose
// or contain marks of a prompt are refused. It drops everything that is deeper than in any
// real schema.
func tidy(node any, depth int) error {
	switch v := node.(type) {
	case map[string]any:
		for key, value := range v {
			text, isText := value.(string)
			_, isList := value.([]any)
			var err error
			switch {
			case depth > 24:
				delete(v, key)
			case !isName(key):
				err = fmt.Errorf("the name %.70q", key)
			case isText && slices.Contains([]string{"$schema", "$comment", "$id"}, key), isList && key == "examples":
				delete(v, key) // with a value of another type it is a parameter of that name
			case isText && (key == "description" || key == "title"):
				v[key] = clean(text, maxHint)
			default:
				err = tidy(value, depth+1)
			}
			if err != nil {
				return err
			}
		}
	case []any:
		for _, value := range v {
			if err := tidy(value, depth+1); err != nil {
				return err
			}
		}
	case string:
		if len(v) > maxHint || strings.ContainsAny(v, "<>\n") || len([]rune(guard.Harmless(v))) != len([]rune(v)) {
			return fmt.Errorf("the text %.70q", v)
		}
	}
	return nil
}

// isName reports whether a key of a schema neither reads like prose nor contains marks of a prompt.
func isName(key string) bool {
	return len(key) <= maxName && !strings.ContainsFunc(key, unicode.IsSpace) &&
		(guard.Harmless(key) == key || strings.ContainsAny(key, "[]"))
}

// clean is a server's text as one line, without anything that could be taken for a mark of the
// prompt.
func clean(text string, limit int) string {
	return letters.Cut(strings.Join(strings.Fields(guard.Harmless(letters.Cut(text, 4*limit))), " "), limit)
}
