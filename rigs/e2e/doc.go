// Package e2e runs the whole daemon as a household has it: the real program, a
// virtual sound card with a person in front of it, and the control API. The
// demo, the tests and the benchmarks of this package share it. It must not be
// imported by anything that ships.
package e2e
