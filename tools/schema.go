package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hearthd/config/input"
)

const (
	maxArguments = 32 << 10 // bytes; a model that writes more is rambling
	maxNumber    = 40       // bytes of a number literal
	maxExponent  = 308      // of a float64; the validator computes with big rationals
	maxProblems  = 5        // told to a model at once
	maxDeep      = 64       // nested objects and lists; 16 kB of them took the compiler of schemas 30 s
	maxUsage     = 400      // bytes
)

// noLoader keeps references within the schema itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("reference to %q leads outside the schema", url)
}

func compileSchema(text json.RawMessage) (*jsonschema.Schema, error) {
	if len(text) > maxSchema {
		return nil, fmt.Errorf("the parameters have more than %d bytes", maxSchema)
	}
	doc, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}
	if object, ok := doc.(map[string]any); !ok || object["type"] != "object" {
		return nil, errors.New(`the parameters must be a JSON schema with "type": "object"`)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	const here = "tool:///parameters"
	if err := c.AddResource(here, doc); err != nil {
		return nil, fmt.Errorf("read parameters: %w", err)
	}
	compiled, err := c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("compile parameters: %w", err)
	}
	return compiled, nil
}

// arguments checks what a caller wrote and returns it in a plain form: one JSON object, each key
// once, whole numbers without fraction or exponent. An empty text and null stand for no arguments,
// and a string may contain the object, as some models write them. Arguments that do not fit are
// coerced where that is harmless.
func (e *entry) arguments(raw json.RawMessage, r reader) (json.RawMessage, error) {
	if len(raw) > maxArguments {
		return nil, fmt.Errorf("they have %d bytes, at most %d are taken", len(raw), maxArguments)
	}
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		raw = json.RawMessage("{}")
	}
	doc, err := decode(raw)
	if err != nil {
		return nil, err
	}
	if text, ok := doc.(string); ok {
		if doc, err = decode(json.RawMessage(text)); err != nil {
			return nil, fmt.Errorf("they are a string that holds no JSON object: %w", err)
		}
	}
	s, err := e.schema()
	if err != nil {
		return nil, err
	}
	if err := e.rewrite(doc, r); err != nil {
		return nil, fmt.Errorf("%w.%s", err, usage(s))
	}
	wrong := s.Validate(doc)
	if wrong == nil {
		return json.Marshal(doc)
	}
	doc = coerce(s, doc)
	if s.Validate(doc) != nil {
		return nil, fmt.Errorf("%w.%s", explain(wrong), usage(s))
	}
	return json.Marshal(doc)
}

// usage lists the parameters, for a caller that got them wrong.
func usage(s *jsonschema.Schema) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		kind := ""
		if p.Types != nil {
			kind = strings.Join(p.Types.ToStrings(), " or ")
		}
		if slices.Contains(s.Required, name) {
			kind = strings.TrimPrefix(kind+", needed", ", ")
		}
		if kind != "" {
			name += " (" + kind + ")"
		}
		all = append(all, name)
	}
	if len(all) == 0 {
		return " It takes no arguments."
	}
	return shorten(" It takes: "+strings.Join(all, ", "), maxUsage) + "."
}

// explain turns a tree of validation errors into one line.
func explain(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	var problems []string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil {
			continue
		}
		where := strings.TrimPrefix(unit.InstanceLocation, "/")
		if where == "" {
			where = "arguments"
		}
		problems = append(problems, shorten(where, 80)+": "+shorten(unit.Error.String(), 200))
		if len(problems) == maxProblems {
			break
		}
	}
	if len(problems) == 0 {
		return errors.New(shorten(invalid.Error(), 400))
	}
	return errors.New(strings.Join(problems, "; "))
}

// decode reads one JSON value and nothing after it. Numbers stay exact.
func decode(text json.RawMessage) (any, error) {
	if input.JSONDepth(text) > maxDeep {
		return nil, fmt.Errorf("it is nested deeper than %d", maxDeep)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var doc any
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("there is no JSON")
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more than one JSON value")
	}
	return plain(doc)
}

// plain bounds the numbers of a document and writes whole ones as integers:
// models send 600.0 where 600 is meant, and encoding/json refuses it for an int.
func plain(doc any) (any, error) {
	var err error
	switch v := doc.(type) {
	case map[string]any:
		for key, value := range v {
			if v[key], err = plain(value); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, value := range v {
			if v[i], err = plain(value); err != nil {
				return nil, err
			}
		}
	case json.Number:
		return plainNumber(v)
	}
	return doc, nil
}

func plainNumber(n json.Number) (any, error) {
	s := string(n)
	mantissa, exponent, has := strings.Cut(strings.ToLower(s), "e")
	if len(mantissa) > maxNumber {
		return nil, fmt.Errorf("the number %s is too long", shorten(s, 20))
	}
	if has {
		if e, err := strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
			return nil, fmt.Errorf("the number %s is out of range", shorten(s, 20))
		}
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("the number %s is out of range", shorten(s, 20))
	}
	const exact = 1 << 53 // whole numbers beyond this have no exact float64
	if strings.ContainsAny(s, ".eE") && f == math.Trunc(f) && math.Abs(f) < exact {
		return json.Number(strconv.FormatInt(int64(f), 10)), nil
	}
	return n, nil
}
