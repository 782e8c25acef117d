// Package daemon is the composition root of hearthd: New checks the options, Run
// builds every part, wires them together, and runs them as an ordered list until
// its context ends. It is the only package that knows all the others.
package daemon
