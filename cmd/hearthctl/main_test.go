package main

import (
	"testing"

	"hearthd/rigs/ctltest"
)

func TestMain(m *testing.M) { ctltest.Main(m, main) }
