#!/usr/bin/env bash
# Prints the copyright file of the package: hearthd's own licence and the licence
# text of every module that is linked into the binaries.
set -euo pipefail
cd "$(dirname "$0")/.."

cat <<'EOF'
hearthd
=======

Copyright the hearthd authors.

Licensed under the Apache License, Version 2.0. On Debian systems the text is in
/usr/share/common-licenses/Apache-2.0.

The binaries are linked with the Go standard library and the modules below,
each under the licence that follows its name.
EOF

licence() { # NAME FOLDER [FOLDER]..., the first one that of the module
	printf '\n\n%s\n%s\n' "$1" "$(printf '%*s' ${#1} '' | tr ' ' =)"
	local name=$1 root=$2 found=0 folder file
	shift
	for folder in "$@"; do
		while read -r file; do
			found=1
			echo
			[ "$folder" = "$root" ] || printf 'Of %s:\n\n' "${folder#"$root"/}"
			if [[ $(grep -m1 '[^[:space:]]' "$file") == *'Apache License'* ]] &&
				! grep -qE 'Permission is hereby granted|Redistribution and use in source' "$file"; then
				echo "Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0"
			else
				cat "$file"
			fi
		done < <(find "$folder" -maxdepth 1 -type f ! -name '*.go' \( -iname '*licen[cs]e*' -o -iname 'copying*' \
			-o -iname 'notice*' -o -iname 'patents*' -o -iname 'epl-*' -o -iname 'edl-*' \) | LC_ALL=C sort)
	done
	if [ $found = 0 ]; then
		echo "no licence text in $name ($root)" >&2
		return 1
	fi
}

licence "Go standard library" "$(go env GOROOT)"
# Of each module its own folder, and those between that and a package that is linked: a
# part of it may be somebody else's.
CGO_ENABLED=1 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}} {{$.Dir}}{{end}}{{end}}' ./cmd/... |
	while read -r path version root dir; do
		while [ "$dir" != "$root" ]; do
			echo "$path $version $root $dir"
			dir=$(dirname "$dir")
		done
		echo "$path $version $root $root"
	done | LC_ALL=C sort -u | {
	last="" folders=()
	while read -r path version root dir; do
		if [ "$path $version" != "$last" ]; then
			[ -z "$last" ] || licence "$last" "${folders[@]}"
			last="$path $version" folders=("$root")
		fi
		[ "$dir" = "$root" ] || folders+=("$dir")
	done
	licence "$last" "${folders[@]}"
}
