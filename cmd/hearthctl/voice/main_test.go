package voice

import (
	"testing"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/rigs/ctltest"
)

func TestMain(m *testing.M) {
	ctltest.Main(m, func() { ctl.Execute(ctl.Root("test", Command)) })
}
