// Package units holds the tool convert_unit: kitchen volumes, masses,
// temperatures and lengths, and volume to mass and back for ingredients whose density is
// known. It runs no goroutine and imports llm, tools and tools/phrase only.
package units
