package daemon

import (
	"errors"
	"net"
	"strings"
	"testing"
)

func TestAConsoleWhoseAddressIsTakenSaysWhatToDo(t *testing.T) {
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	at := first.Addr().String()
	_, err = net.Listen("tcp", at)
	if got := unserved(err); !strings.Contains(got, "another program listens on "+at) ||
		!strings.Contains(got, "console.listen") {
		t.Error(got)
	}
	if got := unserved(errors.New("no certificate")); got != "The web console is not served: no certificate." {
		t.Error(got)
	}
}
