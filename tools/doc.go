// Package tools holds the tools of the house: the Tool interface, the registry,
// the executor that gives every call exactly one result, and the loader of
// tools that are declared as files. It must not import daemon or memory.
package tools
