// Package template evaluates the Jinja templates of Home Assistant's discovery
// documents: those that take a value out of a device's message, and those that
// make a command. They are programs of whoever may publish on the broker: they
// see one message and nothing else, know no files, no includes and no macros. Each
// evaluation has one budget, from which everything is paid before it is done, by the
// size of the data that it reads or makes. What is not known is refused when a template is
// parsed, by name. Whatever fails within panics with a failure, of which Parse, Value and
// Command make an error; any other panic is a mistake of this package, and an error too.
//
// The language is that of jinja.palletsprojects.com/templates with the filters
// that Home Assistant adds (home-assistant.io/docs/configuration/templating).
// nikolalohinski/gonja was tried first: version 2.9.1 cannot index a dictionary
// by a number, a boolean or none, which Zigbee2MQTT's fans need, cannot read a
// condition in brackets, and lets 'x' * 1000000000 have its gigabyte.
//
// The package runs no goroutine, keeps no buffer of a caller, and imports
// nothing of hearthd.
package template
