package e2e

import "testing"

func TestTypedSentencesRepeatTheAnswerAndMuteTheMicrophone(t *testing.T) {
	k := newKitchen(t)
	k.begin()
	first := k.ask("what is twelve plus nineteen")
	if first.Outcome != "answered" || first.Answer == "" {
		t.Fatalf("%+v", first)
	}
	if again := k.ask("repeat that"); again.Intent != "speaker_repeat" || again.Answer != first.Answer {
		t.Errorf("%+v, want the answer of %+v", again, first)
	}
	if doc := k.ask("mute yourself"); doc.Intent != "speaker_mute" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.closed()
	if again := k.ask("say that again please"); again.Intent != "speaker_repeat" || again.Outcome != "answered" {
		t.Errorf("muted: %+v", again)
	}
	if doc := k.ask("unmute"); doc.Intent != "speaker_unmute" || doc.Outcome != "answered" {
		t.Errorf("%+v", doc)
	}
	k.await("a box that hears", func(s Status) bool { return s.State == "idle" && !s.Muted && k.captures() })
}
