package thinker

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func named(domains []Domain, name string) *Domain {
	i := slices.IndexFunc(domains, func(d Domain) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &domains[i]
}

func TestBuiltInDomainsAreComplete(t *testing.T) {
	domains, mistakes := LoadDomains("")
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	for name, cache := range map[string]time.Duration{
		"weather": 10 * time.Minute, "news": 5 * time.Minute, "stocks": time.Minute, "knowledge": 2 * time.Minute,
		"home": 0, "calendar": 0, "medicine": 0, "research": 2 * time.Minute,
	} {
		d := named(domains, name)
		if d == nil || d.Cache != cache || d.Background != (name == "research") || len(d.Words) == 0 ||
			len(d.Examples) == 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if len(domains) != 8 {
		t.Errorf("%d domains", len(domains))
	}
}

func TestAFileAddsOrReplacesAThinkerAndMistakesAreNamed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "garden.yaml", "domain: garden\ndescription: Plants.\nwords: [roses]\nprompt: You know plants.\n")
	write(t, dir, "weather.yaml", "domain: weather\ndescription: Mine.\nprompt: Short.\ncache: 1h\n")
	write(t, dir, "typo.yaml", "domain: typo\ndescription: x\nprompt: y\nsteps: 99\ntier: huge\ntools: "+
		"[a*b]\nactions: {paint: [streiche], add: [Lege auf]}\n")
	write(t, dir, "key.yaml", "domain: key\ndescription: x\nprompt: y\ncolour: red\n")
	write(t, dir, "big.yaml", "prompt: "+strings.Repeat("x", maxDomainFile))
	write(t, dir, "notes.txt", "not a thinker")
	domains, mistakes := LoadDomains(dir)
	garden, weather := named(domains, "garden"), named(domains, "weather")
	if garden == nil || garden.Steps != maxSteps || garden.Cache != defaultCache || garden.Tier != Fast ||
		filepath.Base(garden.Origin) != "garden.yaml" {
		t.Errorf("garden: %+v", garden)
	}
	if weather == nil || weather.Cache != time.Hour || weather.Description != "Mine." {
		t.Errorf("weather: %+v", weather)
	}
	var text []string
	for _, m := range mistakes {
		text = append(text, m.Error())
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"typo.yaml", "steps 99", `tier "huge"`, "a*b", `actions: "paint"`, `"Lege auf"`,
		"key.yaml", "colour", "line 4 column 1", "big.yaml"} {
		if !strings.Contains(all, want) {
			t.Errorf("the mistakes do not say %q:\n%s", want, all)
		}
	}
	if len(mistakes) != 3 {
		t.Errorf("%d mistakes:\n%s", len(mistakes), all)
	}
	if _, mistakes := LoadDomains(filepath.Join(dir, "absent")); len(mistakes) > 0 {
		t.Errorf("an absent folder: %v", mistakes)
	}
}

func TestPromptsFallBackToTheBuiltInOnes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "system.txt", "\n You are Hal. \n")
	write(t, dir, "reflect.txt", "  \n")
	p, mistakes := LoadPrompts(dir)
	if p.System != "You are Hal." || p.Reflect != strings.TrimSpace(defaultReflect) ||
		p.Summary != strings.TrimSpace(defaultSummary) {
		t.Errorf("%+v", p)
	}
	if len(mistakes) != 1 || !strings.Contains(mistakes[0].Error(), "reflect.txt") {
		t.Errorf("mistakes %v", mistakes)
	}
	if p, mistakes := LoadPrompts(""); p.System == "" || len(mistakes) > 0 {
		t.Errorf("without a folder: %v", mistakes)
	}
	equal(t, []string{"reflect.txt", "summary.txt", "responder.txt"}, p.BuiltIn())
	if err := os.Mkdir(filepath.Join(dir, "summary.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "responder.txt")); err != nil {
		t.Fatal(err)
	}
	if p, mistakes := LoadPrompts(dir); p.Summary == "" || p.Responder == "" || len(mistakes) != 3 {
		t.Errorf("a folder and a link to nothing for files: %v", mistakes)
	}
}

func FuzzParseDomain(f *testing.F) {
	f.Add([]byte("domain: garden\ndescription: Plants.\nwords: [roses]\nprompt: You know plants.\ncache: 1h\n"))
	f.Add([]byte("domain: a\ntools: ['*']\nexamples: [x]\nbackground: true\ntime: 8m\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := parseDomain(text)
		if err != nil {
			return
		}
		if d.Steps < 1 || d.Steps > maxSteps || d.Time > maxTime || len(d.Prompt) > maxPrompt ||
			!domainName.MatchString(d.Name) {
			t.Errorf("accepted %+v", d)
		}
		newRouter([]Domain{d}, nil)
	})
}

func TestAThinkerIsTaughtOtherDomainsAndKeepsItsConversation(t *testing.T) {
	m := answers(text("Well. "))
	th := newThinker(t, m, &box{})
	ask := func(question string) {
		t.Helper()
		if _, _, err := think(t.Context(), th, question); err != nil {
			t.Fatal(err)
		}
	}
	ask("how is the garden")
	domains := []Domain{
		{Name: Fallback, Steps: 2, Time: time.Minute, Tier: Fast},
		{Name: "garden", Words: []string{"garden"}, Prompt: "You know plants.", Steps: 2, Time: time.Minute,
			Tier: Fast},
	}
	if err := th.Teach(domains, Prompts{System: "Be brief."}); err != nil {
		t.Fatal(err)
	}
	if list := th.Domains(); len(list) != 2 || list[0].Name != "garden" && list[1].Name != "garden" {
		t.Errorf("domains %+v", th.Domains())
	}
	ask("and how is the garden now")
	r := m.request(1)
	if got := r.Messages[0].Content + " " + r.Messages[len(r.Messages)-1].Content; !strings.HasPrefix(got,
		"Be brief. You know plants.\n\n[") {
		t.Errorf("prompt %q", got)
	}
	if n := len(r.Messages); n < 4 {
		t.Errorf("%d messages: the conversation is gone", n)
	}
	if err := th.Teach(domains[1:], Prompts{}); err == nil || len(th.Domains()) != 2 {
		t.Errorf("without a fallback: %v", err)
	}
}
