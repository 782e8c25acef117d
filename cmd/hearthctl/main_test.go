package main

import (
	"testing"

	"hearthd/cmd/hearthctl/ctl/ctltest"
)

func TestMain(m *testing.M) { ctltest.Main(m, main) }
