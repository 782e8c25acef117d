#!/usr/bin/env bash
# Makes an overlay for go build with which the clock of a program goes PACE times as
# fast, so that seven days take less than an hour. What takes a minute or less takes as
# long as ever: turns, deadlines; and so does what is measured with time.Since: sound.
# Longer waits and differences go by that clock, but no wait ends before ten seconds.
#
# usage: packaging/vm/clock.sh DIR PACE     (prints the overlay's file)
set -euo pipefail
dir=$(cd "$1" && pwd) pace=$2
from=$(go env GOROOT)/src/time

# edit FILE EXPRESSION...: each has to find something.
edit() {
	local file=$dir/$1
	cp "$from/$1" "$file"
	shift
	for expression; do
		cp "$file" "$file.was"
		sed -i -E "$expression" "$file"
		! cmp -s "$file" "$file.was" || { echo "clock.sh: $file has changed: $expression" >&2 && exit 1; }
		rm "$file.was"
	done
}

edit time.go 's/^(\tsec, nsec, mono := )runtimeNow/\1pacedNow/' \
	'/^func \(t Time\) (After|Before|Compare|Sub)\(u Time\)/a\\tt, u = byPace(t, u)' \
	'/^func Until/,/^}/s/if t.wall&hasMonotonic != 0/if false/'
cat >>"$dir/time.go" <<END

func pacedNow() (sec int64, nsec int32, mono int64) {
	sec, nsec, mono = runtimeNow()
	ahead := int64(nsec) + (mono-startNano)*($pace-1)
	return sec + ahead/1e9, int32(ahead % 1e9), mono
}

// byPace lets two times that are more than a minute apart differ as the wall clock does.
func byPace(t, u Time) (Time, Time) {
	if t.wall&u.wall&hasMonotonic != 0 && max(t.ext, u.ext)-min(t.ext, u.ext) > int64(Minute) {
		t.stripMono()
		u.stripMono()
	}
	return t, u
}

func paced(d Duration) Duration {
	if d > Minute {
		return max(d/$pace, 10*Second)
	}
	return d
}
END
edit sleep.go '/^func when\(/a\\td = paced(d)'
edit tick.go 's/int64\(d\)/int64(paced(d))/'

printf '{"Replace": {' >"$dir/overlay.json"
printf '"%s": "%s"' "$from/time.go" "$dir/time.go" >>"$dir/overlay.json"
printf ', "%s": "%s"' "$from/sleep.go" "$dir/sleep.go" "$from/tick.go" "$dir/tick.go" >>"$dir/overlay.json"
echo '}}' >>"$dir/overlay.json"
echo "$dir/overlay.json"
