package discovery

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// codec is how a value is written in messages. A value that can only be read has no encode, and one
// that can only be set no take.
type codec struct {
	take   func(text string) (any, error) // nil: it is not known; errNothing: the text says nothing of it
	encode func(v any) (any, error)
}

var (
	errNothing = errors.New("the message says nothing of it")
	errValue   = errors.New("the value is none that the document knows")
	errWant    = errors.New("the device has no command for this")
)

// property makes key readable and settable by the topics and templates whose names begin with
// prefix; the templates of also may replace the one that reads it.
func (b *builder) property(key home.Key, prefix string, c codec, also ...string) {
	own := []string{prefix + "state_value_template", prefix + "value_template", prefix + "state_template"}
	if c.take != nil {
		b.read(prefix+"state_topic", key, b.tmpl(append(own, also...)...), c.take)
	}
	if c.encode != nil {
		b.send(prefix+"command_topic", key, b.tmpl(prefix+"command_template"), c.encode)
	}
}

// value returns what a template takes out of a message, or the whole message.
func value(t *tmpl, m template.Message) (string, error) {
	if t == nil {
		return strings.TrimSpace(m.Text()), nil
	}
	return t.Value(m)
}

// listen makes the messages on the topics of a key go to take.
func (b *builder) listen(topicKey string, take func(template.Message, home.State) error) {
	for _, topic := range b.topics(topicKey) {
		b.e.reads = append(b.e.reads, read{topic, take})
	}
}

// read makes what the template finds in messages on a topic go to take. Values that mean that there
// is none are left out: "" says nothing, and "None", unless that is one of the options, means that
// the state is not known.
func (b *builder) read(topicKey string, key home.Key, t *tmpl, take func(text string) (any, error)) {
	if b.topic(topicKey) == "" {
		return
	}
	e := b.e
	e.Reports[key] = true
	b.listen(topicKey, func(m template.Message, s home.State) error {
		text, err := value(t, m)
		if err != nil || text == "" {
			return err
		}
		var v any
		if text != "None" || slices.Contains(e.Options[key], text) {
			v, err = take(text)
		}
		if f, ok := v.(float64); ok && !isFinite(f) { // such as a million over next to nothing
			return errValue
		}
		switch {
		case errors.Is(err, errNothing):
		case err != nil:
			return err
		case v == nil:
			delete(s, key)
		default:
			s[key] = v
		}
		return nil
	})
}

// send makes key settable by messages on a topic: what encode makes of the wanted value, put
// through a template where there is one.
func (b *builder) send(topicKey string, key home.Key, t *tmpl, encode func(v any) (any, error)) {
	b.sendWith(topicKey, key, t, func(v any) (map[string]any, error) {
		x, err := encode(v)
		return map[string]any{"value": x}, err
	})
}

// sendWith is send with further values for the template.
func (b *builder) sendWith(topicKey string, key home.Key, t *tmpl, encode func(v any) (map[string]any, error)) {
	topic := b.topic(topicKey)
	if topic == "" {
		return
	}
	b.e.Can[key] = true
	b.e.senders[key] = func(v any) (message, error) {
		vars, err := encode(v)
		if err != nil {
			return message{}, err
		}
		text, err := t.commandOr(textOf(vars["value"]), vars)
		return message{topic, text}, err
	}
}

// job is what is sent to reach one state.
type job struct {
	topicKey string
	tmpl     *tmpl
	payload  string
}

// jobs makes key settable to states each of which has its own job.
func (b *builder) jobs(key home.Key, jobs map[string]job) {
	topics := map[string]string{}
	for state, j := range jobs {
		if topics[state] = b.topic(j.topicKey); topics[state] != "" {
			b.e.Can[key] = true
		}
	}
	b.e.senders[key] = func(v any) (message, error) {
		state, _ := v.(string)
		j := jobs[state]
		if topics[state] == "" {
			return message{}, errWant
		}
		text, err := j.tmpl.commandOr(j.payload, map[string]any{"value": j.payload})
		return message{topics[state], text}, err
	}
}

// words takes a text that stands for a state.
func words(states map[string]string) func(string) (any, error) {
	return func(text string) (any, error) {
		if s, ok := states[text]; ok {
			return s, nil
		}
		for payload, s := range states {
			if strings.EqualFold(payload, text) {
				return s, nil
			}
		}
		return nil, errValue
	}
}

// payloads encodes states by their payloads; those whose payload is empty cannot
// be wanted.
func payloads(states map[string]string) func(any) (any, error) {
	return func(v any) (any, error) {
		s, _ := v.(string)
		if p, ok := states[s]; ok && p != "" {
			return p, nil
		}
		return nil, errWant
	}
}

// either is one of two payloads.
func either(on, off string) codec {
	return codec{words(map[string]string{on: "on", off: "off"}), payloads(map[string]string{"on": on, "off": off})}
}

// asText is a text as it is.
var asText = codec{plainText, asIs}

func plainText(text string) (any, error) {
	if len(text) > 255 { // Home Assistant's bound of a state
		return nil, fmt.Errorf("%d bytes are more than a state has", len(text))
	}
	return text, nil
}

// asIs encodes a value as it is; whole numbers have no point.
func asIs(v any) (any, error) {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int(f), nil
	}
	return v, nil
}

func finite(text string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "%"), 64)
	if err != nil || !isFinite(f) {
		return 0, errors.New("the value is no number")
	}
	return f, nil
}

func numeric(text string) (any, error) {
	f, err := finite(text)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// number encodes a number as f makes it.
func number[T any](f func(float64) T) func(any) (any, error) {
	return func(v any) (any, error) {
		n, ok := v.(float64)
		if !ok {
			return nil, errWant
		}
		return f(n), nil
	}
}

// scaled takes a number and maps from…to of the device on 0…100.
func scaled(from, to float64) func(string) (any, error) {
	return func(text string) (any, error) {
		f, err := finite(text)
		switch {
		case err != nil:
			return nil, err
		case to == from:
			return nil, errors.New("the range is empty")
		}
		return min(max((f-from)/(to-from)*100, 0), 100), nil
	}
}

// asNumber encodes 0…100 as a number from…to, rounded.
func asNumber(from, to float64) func(any) (any, error) {
	return number(func(f float64) int { return int(math.Round(from + f/100*(to-from))) })
}

// unless takes any text except the one that means that nothing is known.
func unless(unknown string, take func(string) (any, error)) func(string) (any, error) {
	return func(text string) (any, error) {
		if text == unknown {
			return nil, nil
		}
		return take(text)
	}
}

// field takes what stands in a field of a JSON object, and a text that is none as it is.
func field(name string, take func(string) (any, error)) func(string) (any, error) {
	return func(text string) (any, error) {
		o := object(text)
		switch {
		case o == nil:
			return take(text)
		case o[name] == nil:
			return nil, errNothing
		}
		return take(textOf(o[name]))
	}
}

// within is field, but takes nothing from a text that is no JSON object.
func within(name string, take func(string) (any, error)) func(string) (any, error) {
	return func(text string) (any, error) {
		if object(text) == nil {
			return nil, errNothing
		}
		return field(name, take)(text)
	}
}

// object is the JSON object that a text is, or nil.
func object(text string) (o map[string]any) {
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &o) == nil {
		return o
	}
	return nil
}

// textOf writes a payload.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// stepped rounds to the steps that the device knows, which begin at the least that it
// names, and stays within its bounds.
func (b *builder) stepped() func(any) (any, error) {
	from, step, least, most := 0.0, b.e.Step, b.e.Min, b.e.Max
	if b.config["min"] != nil {
		from = least
	}
	return number(func(f float64) any {
		if step > 0 {
			f = math.Round((from+math.Round((f-from)/step)*step)*1e6) / 1e6
			if most > least {
				f = min(max(f, least), most)
			}
		}
		v, _ := asIs(f)
		return v
	})
}

// followed are the topics of an entity.
func (e *entity) followed() []string {
	var out []string
	for _, r := range e.reads {
		out = append(out, r.topic)
	}
	for _, p := range e.places {
		out = append(out, p.topic)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
