// Package hass reaches the devices of a Home Assistant, its lists, calendars and
// weather, and its own conversation agent: states, areas, services and sentences over its WebSocket, with a
// long-lived access token (developers.home-assistant.io, api/websocket and
// intent_conversation_api).
//
// Run has one goroutine that reads; calls wait for their answers on channels.
// What comes from the server is bounded. The package must not import daemon.
package hass
