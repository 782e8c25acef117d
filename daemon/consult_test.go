package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hearthd/config"
	"hearthd/llm/thinker"
)

// Thinkers that are right one by one are right together.
func TestManyThinkersFitTheRespondersTool(t *testing.T) {
	dir := t.TempDir()
	for i := range 4 {
		text := fmt.Sprintf("domain: own%d\ndescription: %s\nprompt: You know it.\nwords: [own%d]\n", i, strings.Repeat("What I know. ", 12), i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("own%d.yaml", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	domains, wrong := thinker.LoadDomains(dir)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	g := guestsMind(t, domains)
	d := bare()
	cfg := config.Default()
	d.cfg = &cfg
	if _, err := d.buildConsultation(g, func(string) bool { return false }); err != nil {
		t.Error(err)
	}
}

func guestsMind(t *testing.T, domains []thinker.Domain) *mind {
	t.Helper()
	th, err := thinker.New(thinker.Options{Chat: echo{}, Tools: noTools{}, Domains: domains, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return &mind{Thinker: th}
}
