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

licence() { # NAME FOLDER
	printf '\n\n%s\n%s\n' "$1" "$(printf '%*s' ${#1} '' | tr ' ' =)"
	local found=0 file
	for file in "$2"/LICEN[CS]E* "$2"/COPYING* "$2"/UNLICENSE* "$2"/NOTICE*; do
		[ -f "$file" ] || continue
		found=1
		echo
		if grep -q 'Apache License' "$file" && grep -q 'Version 2.0, January 2004' "$file"; then
			echo "Apache License, Version 2.0: /usr/share/common-licenses/Apache-2.0"
		else
			cat "$file"
		fi
	done
	if [ $found = 0 ]; then
		echo "no licence text in $1 ($2)" >&2
		return 1
	fi
}

licence "Go standard library" "$(go env GOROOT)"
CGO_ENABLED=1 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/... |
	sort -u | while read -r path version dir; do
	licence "$path $version" "$dir"
done
