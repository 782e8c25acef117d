package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearthd/rigs/journaltest"
	"hearthd/rigs/llmtest"
	"hearthd/rigs/testcard"
)

// fault makes a daemon suffer from a symptom. It returns the fields of the line that is
// to be waited for, and the turn that stands for 42 in the command.
type fault func(k *kitchen, j *journaltest.Journal) (fields []string, turn uint64)

// faults are the symptoms of the guide's table, by what their rows begin with.
var faults = map[string]fault{
	"It hears nothing, and is `faulted`": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin()
		check(k.t, k.card.BreakCapture(testcard.NoDevice))
		return []string{"HEARTHD_COMPONENT=microphone"}, 0
	},
	"It hears nothing, and is `idle`": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin()
		return []string{"HEARTHD_COMPONENT=microphone_silent"}, 0
	},
	"It does what it is told, in silence": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin()
		check(k.t, k.card.BreakPlayback(testcard.NoDevice))
		k.post("/v1/say", map[string]string{"text": "hello"})
		return []string{"HEARTHD_COMPONENT=speaker"}, 0
	},
	"It understands nothing": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.launch("PATH=" + k.dir)
		return []string{"HEARTHD_COMPONENT=recogniser"}, 0
	},
	"“My thinker is not reachable”": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin("HEARTHD_THINKER_URL=http://127.0.0.1:1")
		k.ask("why is the sky blue")
		return []string{"HEARTHD_COMPONENT=thinker", "HEARTHD_CONDITION=The thinker does not answer (qwen3:1.7b)."}, 0
	},
	"It is gone from MQTT": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		b := newMosquitto(k.t, k.dir)
		check(k.t, os.WriteFile(b.path("secret"), []byte("pepper and salt\n"), 0o600))
		k.launch(b.environ()...)
		return []string{"HEARTHD_COMPONENT=broker"}, 0
	},
	"The responder does not answer": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"code":"invalid_api_key"}}`, http.StatusUnauthorized)
		}))
		k.t.Cleanup(service.Close)
		key := filepath.Join(k.dir, "key")
		check(k.t, os.WriteFile(key, []byte("sesame\n"), 0o600))
		heard := llmtest.NewWyoming(k.t, llmtest.WyomingScript{Transcript: "Why do people bake bread?"})
		k.begin(append(ears(heard.Address), "HEARTHD_RESPONDER_URL="+service.URL+"/v1", "HEARTHD_RESPONDER_KEY=file:"+key)...)
		k.wonders()
		return []string{"HEARTHD_COMPONENT=responder", "PRIORITY=4"}, 0
	},
	"It has forgotten timers and lists": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		check(k.t, os.MkdirAll(filepath.Join(k.dir, "state"), 0o700))
		check(k.t, os.WriteFile(filepath.Join(k.dir, "state", "hearthd.db"), []byte(strings.Repeat("rubbish", 1000)), 0o600))
		k.launch()
		return []string{"HEARTHD_COMPONENT=memory", "PRIORITY=3"}, 0
	},
	"It answers late": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin()
		doc := k.ask("what time is it")
		return []string{fmt.Sprintf("HEARTHD_TURN=%d", doc.ID), "MESSAGE_ID=7a08a69dfaff4157af57f569c7ea82e7"}, 0
	},
	"It did something else": func(k *kitchen, _ *journaltest.Journal) ([]string, uint64) {
		k.begin()
		doc := k.ask("set a rice timer for nine minutes")
		return []string{fmt.Sprintf("HEARTHD_TURN=%d", doc.ID), "HEARTHD_INTENT=timer_set"}, doc.ID
	},
}

func TestEverySymptomOfTheGuideIsShownByItsLineOfTheJournal(t *testing.T) {
	rows := symptoms(t)
	if len(rows) != len(faults) || len(rows) < 10 {
		t.Fatalf("the guide has %d symptoms, and %d are known here", len(rows), len(faults))
	}
	for _, row := range rows {
		var suffer fault
		for begin, f := range faults {
			if strings.HasPrefix(row.what, begin) {
				suffer = f
			}
		}
		t.Run(row.what, func(t *testing.T) {
			if suffer == nil {
				t.Fatal("nothing here makes the daemon suffer from this")
			}
			if row.cure == "" {
				t.Error("there is no cure")
			}
			k := newRoom(t, &Room{Voice: suite.voice, Silent: strings.Contains(row.what, "`idle`")})
			j := k.journalled()
			fields, turn := suffer(k, j)
			k.awaitLine(j, fields...)
			shownBy(t, j, row, turn)
		})
	}
}

// shownBy runs the command of row over what is in the journal.
func shownBy(t *testing.T, j *journaltest.Journal, row symptom, turn uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	file, err := j.File(ctx)
	if errors.Is(err, journaltest.ErrNoTool) {
		t.Skip(err)
	}
	check(t, err)
	args := append([]string{"--file=" + file, "--no-pager"}, row.command[1:]...)
	if turn != 0 {
		for i := range args {
			args[i] = strings.Replace(args[i], "=42", fmt.Sprintf("=%d", turn), 1)
		}
	}
	cmd := exec.CommandContext(ctx, row.command[0], args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), row.says) {
		t.Errorf("%s says\n%s(%v), and nothing of %q", strings.Join(row.command, " "), out, err, row.says)
	}
}
