// Package api holds what crosses the control API: the bodies of its requests and answers, as JSON.
// The daemon, hearthctl and tests share it. It runs nothing and imports nothing of hearthd but
// daemon/event, daemon/health and daemon/doctor.
package api
