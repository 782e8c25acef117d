// Package mcp makes the tools of Model Context Protocol servers tools of the box: servers
// that are programs of this box (stdio), and servers with an address (streamable HTTP, and
// the older SSE).
//
// Client.Run keeps one goroutine for each server, which connects, lists the tools, offers
// those that are allowed, checks once a minute whether they have changed, and withdraws
// them while the server is away. The library's own goroutines end with the connection.
// What servers say about themselves, and what they answer, is foreign: it is bounded,
// cleaned and marked. The description of a tool is pinned when it is first seen; a changed
// one waits for the owner. The package must not import daemon or siblings.
package mcp
