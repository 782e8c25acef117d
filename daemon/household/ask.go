package household

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"hearthd/daemon/mqtt/contract"
)

const (
	// answerLimit is how long a box may take to say what it did. It does at once what
	// can be asked of it here.
	answerLimit = 2 * time.Second
	// messageLimit is for a recorded message: half a megabyte over a slow network.
	messageLimit = 8 * time.Second
	// maxAsked bounds the questions that are open at once.
	maxAsked = 32
)

// Answer is what a box says to a command.
type Answer struct {
	Box   string `json:"box"`
	ID    string `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error"`
	Text  string `json:"text"`
}

// replies is where other boxes answer this one.
func (h *Household) replies() string {
	return h.opt.Prefix + "/" + h.opt.Node + "/" + contract.Result + "/" + contract.House
}

// Order sends a command with some fields to one box, and returns its answer.
func (h *Household) Order(ctx context.Context, node, command string, fields map[string]any) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	topic := h.opt.Prefix + "/" + node + "/" + contract.Set + "/" + command
	list, err := h.ask(ctx, topic, fields, 1)
	if err != nil {
		return Answer{}, err
	}
	if len(list) == 0 {
		return Answer{}, fmt.Errorf("order %s of %s: %w", command, node, context.DeadlineExceeded)
	}
	return list[0], nil
}

// Announcement is what several boxes say together.
type Announcement struct {
	Text  string
	Sound []byte        // WAV file of a recorded message, which is played after Text; or nil
	To    []string      // names that mean the boxes; none means all
	Lead  time.Duration // from the arrival to the beginning
	Boxes int           // that should answer
}

// Announce lets boxes say something, and returns the answers of as many as answer in
// time.
func (h *Household) Announce(ctx context.Context, a Announcement) ([]Answer, error) {
	fields := map[string]any{"text": a.Text, "lead_ms": a.Lead.Milliseconds()}
	if len(a.To) > 0 {
		fields["to"] = a.To
	}
	limit := answerLimit
	if a.Sound != nil {
		fields["sound"], limit = a.Sound, messageLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return h.ask(ctx, h.topic(contract.Set)+"/"+contract.Announce, fields, a.Boxes)
}

// ask publishes a command and collects n answers, or those that come until ctx ends.
func (h *Household) ask(ctx context.Context, topic string, fields map[string]any, n int) ([]Answer, error) {
	id, in, err := h.await(n)
	if err != nil {
		return nil, err
	}
	defer h.forget(id)
	fields["id"], fields["reply"], fields["v"] = id, h.replies(), contract.Version
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode order: %w", err)
	}
	if err := h.opt.Wire.Publish(ctx, topic, data, 1, false); err != nil {
		return nil, err
	}
	var list []Answer
	for len(list) < n {
		select {
		case a := <-in:
			list = append(list, a)
		case <-ctx.Done():
			return list, nil
		}
	}
	return list, nil
}

// await makes the id of a question and the queue of its answers.
func (h *Household) await(n int) (id string, in chan Answer, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.open) >= maxAsked {
		return "", nil, fmt.Errorf("ask other boxes: %d questions are open", maxAsked)
	}
	h.asked++
	id = strconv.FormatUint(h.asked, 10)
	in = make(chan Answer, n)
	h.open[id] = in
	return id, in, nil
}

func (h *Household) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, id)
}

// answered takes the answer of a box to whoever waits for it.
func (h *Household) answered(payload []byte) {
	var a Answer
	if json.Unmarshal(payload, &a) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.open[a.ID] <- a: // nobody waits on nil
	default:
	}
}
