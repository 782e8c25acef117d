#!/usr/bin/env bash
# Prints the version of this tree in Debian's form: the release if a tag v* stands
# on this commit, else the newest version of CHANGELOG.md with the commit's time,
# which sorts before the release.
set -euo pipefail
cd "$(dirname "$0")/.."

next=$(sed -n 's/^## \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
if ! git rev-parse HEAD >/dev/null 2>&1; then
	echo "$next" # a source archive
elif tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null); then
	echo "${tag#v}"
else
	TZ=UTC git log -1 --format="$next~%cd.g%h" --date=format-local:%Y%m%d%H%M%S --abbrev=8
fi
