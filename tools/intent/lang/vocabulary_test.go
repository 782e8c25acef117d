package lang

import (
	"fmt"
	"strings"
	"testing"
)

func TestVocabularyIsBounded(t *testing.T) {
	l, err := NewLanguage(&Speech{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []Name
	for i := range 3 * maxNames {
		names = append(names, Name{Value: fmt.Sprintf("thing%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)})
	}
	names[1] = Name{Value: strings.Repeat("long ", 100)}
	names[2] = Name{Value: "!?"}
	l.SetNames("device", names)
	if n := len((*l.names.Load())["device"].forms[1]); n != maxNames-2 {
		t.Errorf("%d names", n)
	}
}
