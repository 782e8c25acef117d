// Package mcp makes the tools of Model Context Protocol servers tools of the
// house: servers that are programs of this box (stdio), and servers with an
// address (streamable HTTP, and the older SSE).
//
// Client.Run keeps one goroutine per server, which connects, lists the tools,
// offers those that are allowed, looks once a minute whether they are still the
// same, and withdraws them while the server is away. The library's own goroutines
// end with the connection. What servers say of themselves and answer is foreign:
// it is bounded, cleaned and marked. How a server describes its tools is pinned when it
// is first seen; what it describes otherwise later waits for the owner. The package must
// not import daemon or siblings.
package mcp
