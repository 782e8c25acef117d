package intent

import "testing"

func TestEveryExampleIsUnderstoodAsItSays(t *testing.T) {
	for _, err := range newMatcher(t).CheckExamples() {
		t.Error(err)
	}
}
