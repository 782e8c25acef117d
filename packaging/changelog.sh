#!/usr/bin/env bash
# Prints CHANGELOG.md as a Debian changelog whose first entry is the version given.
#
# usage: packaging/changelog.sh VERSION MAINTAINER   (SOURCE_DATE_EPOCH is set)
set -euo pipefail
cd "$(dirname "$0")/.."

now=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
awk -v version="$1" -v maintainer="$2" -v now="$now" '
# Items are wrapped anew: Debian wants lines of at most 80 columns.
function item(    words, n, i, line) {
	n = split(text, words, " ")
	line = "  *"
	for (i = 1; i <= n; i++) {
		if (length(line) + 1 + length(words[i]) > 78) { print line; line = "   " }
		line = line " " words[i]
	}
	if (n) print line
	text = ""
}
function finish() {
	item()
	if (open) printf "\n -- %s  %s\n\n", maintainer, stamp
	open = 0
}
/^## \[[0-9]/ {
	finish()
	split($0, part, /[][]/)
	day = $NF ~ /^[0-9]+-[0-9]+-[0-9]+$/ ? $NF : now
	cmd = "LC_ALL=C date -u -R -d " day
	cmd | getline stamp
	close(cmd)
	printf "hearthd (%s) unstable; urgency=medium\n", seen++ ? part[2] : version
	open = 1
	next
}
!open || /^\[/ { next }
/^### / { item(); printf "\n  [ %s ]\n", substr($0, 5); next }
/^- /   { item(); text = substr($0, 3); next }
/^  /   { text = text " " $0 }
END { finish() }
' CHANGELOG.md
