// Package llmtest holds servers that speak the wire protocols of models and
// speech engines, for tests. They are built from the published protocols, share
// no code with the clients under test, and refuse what the real servers refuse;
// a test can also tell them to misbehave.
//
// Each runs the goroutines of its connections, which have ended when the test
// that started it has.
package llmtest
