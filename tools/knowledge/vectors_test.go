package knowledge

import (
	"context"
	"strings"
	"testing"
)

// broken makes an empty vector of whatever is about coffee.
type broken struct{ meanings }

func (m *broken) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	all, err := m.meanings.Embed(ctx, texts)
	for i, t := range texts {
		if strings.Contains(t, "espresso") {
			all[i] = nil
		}
	}
	return all, err
}

func TestOneBadVectorDoesNotKeepTheOthersWaiting(t *testing.T) {
	r := newRig(t)
	r.o.Meaning = &broken{}
	r.write("a.md", "# One\n\nHow to make espresso.\n")
	for _, name := range []string{"b.md", "c.md", "d.md"} {
		r.write(name, "# "+name+"\n\nSomething else altogether.\n")
	}
	r.look()
	if err := r.embed(t.Context()); err != nil {
		t.Fatal(err)
	}
	left, err := r.o.Store.UnvectoredPassages(t.Context(), "m", 10)
	if err != nil || len(left) != 1 || !strings.Contains(left[0].Text, "espresso") {
		t.Errorf("%+v, %v", left, err)
	}
	if !strings.Contains(r.log.String(), "passages without a vector") {
		t.Error(r.log.String())
	}
}
