package peer

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"hearthd/daemon/mqtt/contract"
)

const (
	// answerLimit is how long a box may take to answer. It carries out at once what can be asked of it here, but for
	// a station that is to play there, which it waits 7 s for. Of a box that is off the broker tells.
	answerLimit = 9 * time.Second
	// messageLimit is the same for a recorded message: half a megabyte over a slow network.
	messageLimit = 8 * time.Second
	// maxAsked bounds the commands that wait for answers at once.
	maxAsked = 32
)

// Answer is the answer of a box to a command.
type Answer struct {
	Box   string `json:"box"`
	ID    string `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error"`
	Text  string `json:"text"`
}

// replies is the topic on which other boxes answer this one.
func (p *Peers) replies() string {
	return p.opt.Prefix + "/" + p.opt.Node + "/" + contract.Result + "/" + contract.House
}

// Order sends a command with some fields to one box, and returns its answer.
func (p *Peers) Order(ctx context.Context, node, command string, fields map[string]any) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	topic := p.opt.Prefix + "/" + node + "/" + contract.Set + "/" + command
	list, err := p.ask(ctx, topic, fields, []string{""}) // alone it does not say which box it is
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
	Sound []byte        // WAV file of a recorded message, played after Text; or nil
	To    []string      // the boxes
	Lead  time.Duration // from the arrival to the beginning
}

// Announce makes boxes say something, and returns the answers that come in time.
func (p *Peers) Announce(ctx context.Context, a Announcement) ([]Answer, error) {
	fields := map[string]any{"text": a.Text, "lead_ms": a.Lead.Milliseconds(), "to": a.To}
	limit := answerLimit
	if a.Sound != nil {
		fields["sound"], limit = a.Sound, messageLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.ask(ctx, p.topic(contract.Set)+"/"+contract.Announce, fields, a.To)
}

// ask publishes a command and collects answers until those of all boxes are there, or ctx ends. Others may answer too.
func (p *Peers) ask(ctx context.Context, topic string, fields map[string]any, boxes []string) ([]Answer, error) {
	id, in, err := p.await()
	if err != nil {
		return nil, err
	}
	defer p.forget(id)
	fields["id"], fields["reply"], fields["v"] = id, p.replies(), contract.Version
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encode order: %w", err)
	}
	if err := p.opt.Wire.Publish(ctx, topic, data, 1, false); err != nil {
		return nil, err
	}
	var list []Answer
	for missing := slices.Clone(boxes); len(missing) > 0; {
		select {
		case a := <-in:
			list = append(list, a)
			missing = slices.DeleteFunc(missing, func(box string) bool { return box == a.Box })
		case <-ctx.Done():
			return list, nil
		}
	}
	return list, nil
}

// await makes an id for a command, and the queue for its answers.
func (p *Peers) await() (id string, in chan Answer, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) >= maxAsked {
		return "", nil, fmt.Errorf("ask other boxes: %d commands wait for answers", maxAsked)
	}
	id = rand.Text() // an answer that is late must not fit a command of after a restart
	in = make(chan Answer, maxBoxes)
	p.open[id] = in
	return id, in, nil
}

func (p *Peers) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
}

// answered passes the answer of a box to whoever waits for it.
func (p *Peers) answered(payload []byte) {
	var a Answer
	if json.Unmarshal(payload, &a) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.open[a.ID] <- a: // nobody waits on nil
	default:
	}
}
