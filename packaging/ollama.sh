#!/usr/bin/env bash
# Builds the Ollama that make integration tests against, once, from its Go module, and
# prints where the program is. It runs no download but that of the Go modules.
#
# v0.24.0 is the last line that compiles llama.cpp through cgo. Two headers that its
# module leaves out come from Debian (nlohmann-json3-dev, libstb-dev) and from malgo
# (miniaudio.h).
set -euo pipefail

version=v0.24.0
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hearthd-integration
program=$cache/ollama-$version
if [ ! -x "$program" ]; then
	echo "Building Ollama $version below $cache: about 20 minutes on two cores, once." >&2
	cd "$(dirname "$0")/.."
	malgo=$(go list -m -f '{{.Dir}}' github.com/gen2brain/malgo)
	mkdir -p "$cache/inc/miniaudio"
	install -m 0644 "$malgo/miniaudio.h" "$cache/inc/miniaudio/miniaudio.h"
	GOBIN=$cache/bin CGO_CPPFLAGS=-I$cache/inc go install "github.com/ollama/ollama@$version" >&2
	mv "$cache/bin/ollama" "$program"
fi
echo "$program"
