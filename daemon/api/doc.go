// Package api holds what crosses the control API: the bodies of its requests and
// answers, as JSON. The daemon, hearthctl and tests share it. It runs nothing and
// imports nothing of hearthd but what it shows of events, conditions and findings.
package api
