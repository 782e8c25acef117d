package mqtt

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestContractNamesEveryTopicAndCommand reads topics.go, so that a new topic
// cannot be forgotten, and the numbers that the contract repeats.
func TestContractNamesEveryTopicAndCommand(t *testing.T) {
	data, err := os.ReadFile("../../packaging/mqtt.md")
	if err != nil {
		t.Fatal(err)
	}
	contract := string(data)
	file, err := parser.ParseFile(token.NewFileSet(), "topics.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for i, name := range spec.Names {
			value, err := strconv.Unquote(spec.Values[i].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			want := "`" + value + "`"
			if strings.HasPrefix(name.Name, "cmd") {
				want = "`set/" + value + "`"
			}
			if name.Name != "levelSet" && !strings.Contains(contract, want) {
				t.Errorf("the contract does not name %s", want)
			}
			found++
		}
		return true
	})
	if found < 14 {
		t.Errorf("topics.go has %d names: the test does not see them", found)
	}
	for _, number := range []string{
		strconv.Itoa(maxPayload) + " bytes", strconv.Itoa(maxReplyTopic) + " bytes", strconv.Itoa(maxReplyLevels) + " levels",
		strconv.Itoa(maxEcho) + " bytes", strconv.Itoa(maxCalls) + " commands", strconv.Itoa(maxQueued) + " messages",
		strconv.Itoa(int(callLimit.Minutes())) + " minutes", strconv.Itoa(int(patience.Seconds())) + " seconds",
		strconv.Itoa(int(retryFirst.Seconds())) + " to " + strconv.Itoa(int(retryLast.Seconds())) + " seconds",
	} {
		if !strings.Contains(contract, number) {
			t.Errorf("the contract does not say %q", number)
		}
	}
}
