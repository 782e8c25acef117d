// Package hass reaches the devices of a Home Assistant: states, areas and
// services over its WebSocket, and its conversation agent over REST, with a
// long-lived access token (developers.home-assistant.io, api/websocket and
// api/rest).
//
// Run has one goroutine that reads; calls wait for their answers on channels.
// What comes from the server is bounded. The package must not import daemon.
package hass
