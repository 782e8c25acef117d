package mqtt

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"hearthd/daemon/mqtt/contract"
)

func TestContractSaysTheNumbersOfTheBridge(t *testing.T) {
	data, err := os.ReadFile("../../packaging/mqtt.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, number := range []string{
		strconv.Itoa(maxPayload) + " bytes", strconv.Itoa(maxSound) + " bytes", strconv.Itoa(maxReplyTopic) +
			" bytes", strconv.Itoa(maxReplyLevels) + " levels",
		strconv.Itoa(maxEcho) + " bytes", strconv.Itoa(maxCalls) + " commands", strconv.Itoa(maxQueued) + " messages",
		strconv.Itoa(int(callLimit.Minutes())) + " minutes", strconv.Itoa(int(patience.Seconds())) + " seconds",
		strconv.Itoa(int(retryFirst.Seconds())) + " to " + strconv.Itoa(int(retryLast.Seconds())) + " seconds",
		strconv.Itoa(int(birthSpread.Seconds())) + " seconds", strconv.Itoa(maxTries) + " connections",
	} {
		if !strings.Contains(text, number) {
			t.Errorf("the contract does not say %q", number)
		}
	}
}

// TestEveryCommandOfTheContractIsUnderstood and carried out by this package.
func TestEveryCommandOfTheContractIsUnderstood(t *testing.T) {
	payloads := map[string]string{contract.Volume: "40", contract.Timer: "600", contract.Route: contract.Local,
		contract.WakeWord: contract.AllWords, contract.Tool: `{"tool":"list_show"}`,
		contract.Media: "pause"}
	x := newBox(t, Options{Broker: contract.Embedded, Listen: "127.0.0.1:1883"})
	for i, c := range contract.Commands() {
		payload := payloads[c.Name]
		if payload == "" {
			payload = contract.On
		}
		call, err := parseCall(kitchenAnswers, c.Name, []byte(payload), false)
		if err != nil {
			t.Errorf("%s %s: %v", c.Name, payload, err)
			continue
		}
		if _, err := x.do(t.Context(), call); err != nil || len(x.speaker.list()) != i+1 {
			t.Errorf("%s: %v, %q", c.Name, err, x.speaker.list())
		}
	}
}
