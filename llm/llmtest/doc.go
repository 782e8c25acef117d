// Package llmtest holds servers that speak the wire protocols of models and
// speech engines, for tests. Each is built from the published protocol without
// the help of the client's library, refuses what the real server refuses, and
// can misbehave on request. Handlers run in the goroutines of their listener,
// which end with the test. Only tests import it.
package llmtest
