package discovery

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hearthd/tools/home"
	"hearthd/tools/home/template"
)

// message is one publication.
type message struct {
	topic   string
	payload string
}

// entity is a device, or a part of one, and how it is spoken to.
type entity struct {
	home.Entity
	reads   []read
	senders map[home.Key]sender
	compose func(want, have home.State) ([]message, error) // instead of senders, for lights
	polls   []message                                      // what makes it tell its state
	places  []place
	mode    string        // how places count: all, any or latest
	latest  bool          // offline, as was said last
	expires time.Duration // after which a value is old; 0: never
	clears  time.Duration // after which what is on is off; 0: never
	heard   time.Time     // when the last value came
	tmpls   []*tmpl
	sources []string // of the templates
	weight  int      // bytes that it takes, without its templates
	qos     byte
	retain  bool
}

// read is what a message on a topic says of an entity.
type read struct {
	topic string
	take  func(template.Message, home.State) error
}

// place is where a device says whether it is there.
type place struct {
	topic       string
	tmpl        *tmpl
	online, off string
	offline     bool // it said so
}

// sender makes the message that sets one key.
type sender struct {
	topic string
	make  func(v any) (string, error)
}

// builder makes an entity of a configuration. The first thing that it does not
// understand is kept in err, and the entity is not made.
type builder struct {
	config
	e     *entity
	cache func(string) (*template.Template, error)
	err   error
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// topic is that of a key, or "".
func (b *builder) topic(key string) string {
	t, err := b.config.topic(key)
	if err != nil {
		b.fail(err)
	}
	return t
}

// tmpl is the template of the first of keys that there is, or nil.
func (b *builder) tmpl(keys ...string) *tmpl {
	for _, k := range keys {
		source, ok := b.config[k].(string)
		if !ok || source == "" {
			continue
		}
		t, err := b.cache(source)
		if err != nil {
			b.fail(fmt.Errorf("%s: %w", k, err))
		}
		own := &tmpl{of: t, key: k}
		b.e.tmpls = append(b.e.tmpls, own)
		b.e.sources = append(b.e.sources, source)
		return own
	}
	return nil
}

// value gives what a template takes out of a message, or the whole of it.
func value(t *tmpl, m template.Message) (string, error) {
	if t == nil {
		return strings.TrimSpace(m.Text()), nil
	}
	return t.Value(m)
}

// read has take called with what the template finds in messages on a topic.
// Values that mean that there is none are left out: "" says nothing, and "None"
// that the state is not known.
func (b *builder) read(topicKey string, key home.Key, t *tmpl, take func(text string) (any, error)) {
	topic := b.topic(topicKey)
	if topic == "" {
		return
	}
	b.e.Reports[key] = true
	b.e.reads = append(b.e.reads, read{topic, func(m template.Message, s home.State) error {
		text, err := value(t, m)
		if err != nil || text == "" {
			return err
		}
		if text == "None" {
			delete(s, key)
			return nil
		}
		v, err := take(text)
		if err != nil {
			return err
		}
		if v == nil {
			delete(s, key)
		} else {
			s[key] = v
		}
		return nil
	}})
}

var errValue = errors.New("the value is none that the document knows")

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

// plainText takes a text as it is.
func plainText(text string) (any, error) {
	if len(text) > 255 { // Home Assistant's bound of a state
		return nil, fmt.Errorf("%d bytes are more than a state has", len(text))
	}
	return text, nil
}

// scaled takes a number and maps from…to of the device on 0…100.
func scaled(from, to float64) func(string) (any, error) {
	return func(text string) (any, error) {
		f, err := finite(text)
		if err != nil || to == from {
			return nil, errors.Join(err, errIf(to == from, "the range is empty"))
		}
		return min(max((f-from)/(to-from)*100, 0), 100), nil
	}
}

func errIf(is bool, text string) error {
	if is {
		return errors.New(text)
	}
	return nil
}

func finite(text string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "%"), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
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

// send has key set by messages on a topic: what encode makes of the wanted value,
// put through a template where there is one.
func (b *builder) send(topicKey string, key home.Key, t *tmpl, encode func(v any) (any, error)) {
	topic := b.topic(topicKey)
	if topic == "" {
		return
	}
	b.e.Can[key] = true
	b.e.senders[key] = sender{topic, func(v any) (string, error) {
		x, err := encode(v)
		if err != nil {
			return "", err
		}
		if t == nil {
			return textOf(x), nil
		}
		return t.Command(map[string]any{"value": x})
	}}
}

var errWant = errors.New("the device has no command for this")

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

// asNumber encodes 0…100 as a number from…to, rounded.
func asNumber(from, to float64) func(any) (any, error) {
	return func(v any) (any, error) {
		f, ok := v.(float64)
		if !ok {
			return nil, errWant
		}
		return int(math.Round(from + f/100*(to-from))), nil
	}
}

// asIs encodes a value as it is; whole numbers have no point.
func asIs(v any) (any, error) {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int(f), nil
	}
	return v, nil
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
	return func(v any) (any, error) {
		f, ok := v.(float64)
		if !ok {
			return nil, errWant
		}
		if step <= 0 {
			return asIs(f)
		}
		f = math.Round((from+math.Round((f-from)/step)*step)*1e6) / 1e6
		if most > least {
			f = min(max(f, least), most)
		}
		return asIs(f)
	}
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
