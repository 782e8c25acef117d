# Sourced by test.sh: what is tried in the container, in this order.

nspawn_steps() {
	boot
	step 60 "previous version installs" previous_installs
	step 60 "ready within 2 s" ready_soon
	step 60 "upgrade keeps edits, timers, lists" upgrade
	step 90 "second upgrade drops no client" upgrade_keeps_clients
	step 150 "spoken request through ALSA" spoken_request
	step 30 "exposure at most 1.5" exposure
	step 60 "kill -9" killed
	step 90 "frozen process" frozen_process
	step 240 "frozen microphone" frozen_microphone
	step 60 "reload" reload
	step 60 "declared tool in the sandbox" declared_tool
	step 60 "journal" journal
	step 60 "bad configuration does not loop" bad_configuration
	step 60 "broker absent, then there" broker_absent
	step 60 "disk full" disk_full
	local turns=${TURNS:-200}
	step $((600 + turns * 4)) "memory after $turns turns" "turns $turns"
	step 60 "downgrade is refused" downgrade_refused
	step 60 "older program, newer memory" older_program
	step 60 "upgrade again" upgrade_again
	step 60 "remove keeps state" remove
	step 60 "install again, still there" install_again
	halt
	boot --read-only --tmpfs=/var/log --tmpfs=/tmp
	step 60 "read-only root" read_only
	halt
	boot
	step 60 "purge leaves the account only" purge
	step 90 "first install" first_install
	step 60 "purge" purge
	step 90 "signed repository, apt, update check" repository
	step 60 "purge after apt" purge
	halt
	week_steps
	power_steps
}

week_steps() {
	if [ "${WEEK:-no}" = no ]; then
		skip "seven days" "WEEK=no"
		return
	fi
	boot
	install new >/dev/null 2>&1
	step 5400 "seven days" week
	halt
}

# The state lies on a file system of its own, so that all of a machine can die, and
# with it what its kernel had not written yet.
power_steps() {
	local times=${POWER:-100}
	if [ "$times" = 0 ]; then
		skip "power cuts" "POWER=0"
		return
	fi
	boot
	install new >/dev/null 2>&1
	halt
	mkdir -p "$work/state"
	truncate -s 64M "$work/state.img"
	: >"$work/ready"
	step $((times * 60)) "$times power cuts" "power_cuts $times"
	mountpoint -q "$work/state" && umount "$work/state"
	rm -f "$work/state.img"
}

# Every 25 cuts it begins anew, with nothing at all, for a list has 200 items at most.
power_cuts() { # TIMES
	local cut confirmed=0
	for cut in $(seq "$1"); do
		if [ $((cut % 25)) = 1 ]; then
			mke2fs -q -F -t ext4 "$work/state.img"
			: >"$work/ledger"
		fi
		mount -o loop "$work/state.img" "$work/state"
		boot --bind="$work/state:/var/lib/hearthd"
		await 30 running
		took >>"$work/ready"
		confirmed_is_there
		# Between half a second and three seconds of writing.
		inside bash -c "$(declare -f write); write $cut" >>"$work/ledger" 2>/dev/null &
		sleep "$((RANDOM % 3)).$((RANDOM % 5 + 5))"
		cut_power
		confirmed=$((confirmed + $(wc -l <"$work/ledger")))
	done
	echo "nothing that was confirmed is lost ($confirmed checks); READY after $(sort -n "$work/ready" | tail -n 1) ms at most$(busy)"
	soon "$(sort -n "$work/ready" | tail -n 1)"
}

# soon takes what a start took on a host that others keep busy for no measure.
soon() { # MILLISECONDS
	[ "$1" -lt 2000 ] || [ -n "$(busy)" ]
}

busy() { awk -v cores="$(nproc)" '$1 > 4 * cores { print ", the load of the host is " $1 }' /proc/loadavg; }

# write says what was confirmed, until somebody cuts the power. The tools themselves are
# asked: a spoken answer takes two seconds.
write() { # CUT
	for i in $(seq 500); do
		hearthctl tools run timer_set "{\"duration_s\": $((20000 + i)), \"label\": \"oven $1 $i\"}" >/dev/null && echo "timer oven $1 $i"
		[ "$i" -gt 7 ] || { hearthctl tools run list_add "{\"items\": [\"jar $1 $i\"]}" >/dev/null && echo "list jar $1 $i"; }
		hearthctl tools run memory_fact "{\"name\": \"shelf $1 $i\", \"text\": \"is full\"}" >/dev/null && echo "memory shelf $1 $i"
	done
}

confirmed_is_there() {
	local kind what
	ctl lists >"$work/list"
	ctl memory export >"$work/memory"
	ctl timers --json >"$work/timer"
	while read -r kind what; do
		grep -qwiF "$what" "$work/$kind" || { echo "lost: $kind $what"; return 1; }
	done <"$work/ledger"
}

# cut_power kills all of the machine at once and lets its file system write no more: what
# was not written then is lost. FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH.
cut_power() {
	kill -KILL "$(cat "$work/init")"
	until gone "$work/init"; do :; done # its processes die before it
	perl -e 'open my $f, "<", $ARGV[0] or die $!; my $flags = pack("L", 2); ioctl($f, 0x8004587d, $flags) or die $!' "$work/state/hearthd.db"
	halt
	umount "$work/state"
	# The kernel may hold on to the file system that was shut down: the next is a copy.
	cp --sparse=always "$work/state.img" "$work/state.next"
	mv "$work/state.next" "$work/state.img"
}

ctl() { inside hearthctl "$@"; }
field() { inside systemctl show -P "$1" hearthd.service; }
running() { [ "$(field ActiveState)" = active ] && ctl status >/dev/null; }
install() { inside dpkg --install --force-confdef --force-confold "/opt/test/$1.deb"; }
logged() { inside journalctl -u hearthd -o cat --no-pager | grep -c "$1"; }
condition() { ctl status --json | grep -c "\"code\": \"$1\""; }
no_condition() { ! condition "$1"; }
timers() { ctl timers --json | grep -c '"id"' || true; }
more_timers() { [ "$(timers)" -gt "$1" ]; }
timer_set() { ctl timers | grep -c "$1"; }
configure() { printf '%s\n' "$2" | inside tee "/etc/hearthd/conf.d/$1.yaml" >/dev/null; }

# took is how long the last start was, in milliseconds.
took() {
	local begun ready
	begun=$(field ExecMainStartTimestampMonotonic) ready=$(field ActiveEnterTimestampMonotonic)
	echo $(((ready - begun) / 1000))
}

previous_installs() {
	install previous
	await 20 running
	inside hearthd version
}

ready_soon() {
	inside systemctl restart hearthd.service
	await 20 running
	soon "$(took)"
	echo "READY after $(took) ms$(busy)"
}

upgrade() {
	ctl ask "set a pizza timer for three hours"
	ctl ask "add capers to the shopping list"
	inside sh -c 'echo "# edited by hand" >>/etc/hearthd/hearthd.yaml'
	configure 50-mine 'node: galley'
	install new
	await 20 running
	timer_set pizza
	ctl lists | grep capers
	inside grep -q "edited by hand" /etc/hearthd/hearthd.yaml
	ctl status --json | grep '"node": "galley"'
	[ "$(inside hearthctl --version | awk '{print $3}')" = "$(dpkg-deb -f "$PACKAGE" Version)" ]
	inside systemctl is-enabled hearthd.service hearthd.socket
	echo "from $(dpkg-deb -f "$PREVIOUS" Version)"
}

# Requests one after the other, and a stream of events, over an upgrade to the same
# version, which restarts the daemon.
upgrade_keeps_clients() {
	local pid
	pid=$(field MainPID)
	rm -f "$work/root/opt/test/enough"
	inside sh -c 'until [ -e /opt/test/enough ]; do hearthctl status >/dev/null && echo answered || echo lost; sleep 0.1; done' >"$work/requests" 2>&1 &
	local requests=$!
	inside hearthctl events --follow --json >"$work/events" 2>&1 &
	local events=$!
	sleep 0.5
	install new
	await 20 restarted "$pid"
	: >"$work/root/opt/test/enough"
	wait $requests
	ctl ask "what time is it"
	await 20 grep '"type":"turn"' "$work/events"
	kill $events
	! grep lost "$work/requests"
	echo "$(wc -l <"$work/requests") requests answered, and the stream went on"
}

spoken_request() {
	inside sh -c ': >/opt/test/speaker.raw'
	local before try
	before=$(timers)
	for try in 1 2 3; do # a busy host may tear holes into what is said
		inside sh -c 'cat /opt/test/request.raw >/opt/test/microphone'
		if await 25 more_timers "$before"; then break; fi
	done
	more_timers "$before"
	await 20 heard
	ctl timers
	while timer_set "timer number"; do # or it rings in the middle of what follows
		ctl tools run timer_cancel '{"label": "ten-minute"}'
	done
	echo "try $try; the speaker played $(($(stat -c %s "$work/root/opt/test/speaker.raw") / 32)) ms"
}

# heard says whether the speaker played anything but silence.
heard() { tr -d '\0' <"$work/root/opt/test/speaker.raw" | head -c 32000 | wc -c | grep -qx 32000; }

exposure() {
	local level
	level=$(inside systemd-analyze security hearthd.service --no-pager | sed -n 's/.*Overall exposure level.*: \([0-9.]*\).*/\1/p')
	awk "BEGIN { exit !($level <= 1.5) }"
	echo "systemd-analyze security: $level"
}

restarted() { [ "$(field MainPID)" != "$1" ] && [ "$(field MainPID)" != 0 ] && running; }

killed() {
	local pid
	pid=$(field MainPID)
	inside kill -KILL "$pid"
	await 30 restarted "$pid"
	timer_set pizza
	echo "READY $(took) ms after its start"
}

frozen_process() {
	local pid begun=$SECONDS
	pid=$(field MainPID)
	inside kill -STOP "$pid"
	await 80 restarted "$pid"
	logged "Watchdog timeout"
	timer_set pizza
	echo "a new process after $((SECONDS - begun)) s"
}

fault() { inside sh -c "printf '%-40s\n' $1 | dd of=/opt/test/capture.fault conv=notrunc status=none"; }

frozen_microphone() {
	local pid begun=$SECONDS
	pid=$(field MainPID)
	fault stall
	await 20 condition microphone
	await 200 restarted "$pid"
	logged "no progress, watchdog not fed"
	local waited=$((SECONDS - begun))
	fault ok
	await 60 no_condition microphone
	echo "a new process after $waited s, and it hears"
}

reload() {
	local pid
	pid=$(field MainPID)
	configure 70-volume 'audio: {volume: 35}'
	inside systemctl reload hearthd.service
	ctl status --json | grep '"volume": 35'
	configure 70-volume 'audio: {volume: 400}'
	inside systemctl reload hearthd.service && return 1
	condition configuration
	logged 'configuration refused.*audio.volume'
	ctl status --json | grep '"volume": 35'
	inside rm /etc/hearthd/conf.d/70-volume.yaml
	inside systemctl reload hearthd.service
	no_condition configuration
	[ "$(field MainPID)" = "$pid" ]
	echo "a change holds at once, a mistake changes nothing, by one process"
}

# A program of the household's has what the unit has, and nothing else.
declared_tool() {
	inside tee /etc/hearthd/tools.d/probe.yaml >/dev/null <<-'EOF'
		name: probe
		description: Tells what a program of the household may do here.
		parameters: {type: object, additionalProperties: false}
		triggers: [what may you do here]
		command:
		  - sh
		  - -c
		  - |
		    for f in /var/lib/hearthd /tmp /etc/hearthd /usr/bin /root /opt; do
		      if touch $f/probe 2>/dev/null; then echo "writes $f"; fi
		    done
		    head -c 1 /etc/shadow /dev/kmsg /root/.profile 2>/dev/null
		    setpriv --reuid 0 true 2>/dev/null && echo "becomes root"
		    unshare --user true 2>/dev/null && echo "makes a name space"
		    sed -n 's/^\(CapEff\|NoNewPrivs\|Seccomp\):\t/\1 /p' /proc/self/status
	EOF
	inside systemctl restart hearthd.service
	await 20 running
	ctl ask "what may you do here" >"$work/probe"
	inside rm /etc/hearthd/tools.d/probe.yaml /var/lib/hearthd/probe
	cat "$work/probe"
	[ "$(xargs <"$work/probe")" = "writes /var/lib/hearthd writes /tmp CapEff 0000000000000000 NoNewPrivs 1 Seccomp 2" ]
	echo "writes its state and a /tmp of its own, and gains nothing"
}

journal() {
	inside hearthctl logs --follow -n 1 >"$work/follow" 2>&1 &
	local follow=$!
	await 10 grep . "$work/follow"
	ctl ask "what time is it"
	await 10 grep 'turn [0-9]* answered' "$work/follow"
	kill $follow
	ctl logs --last | grep 'turn [0-9]* answered'
	ctl logs --since -1min | grep 'turn [0-9]* answered'
	ctl logs --slow | grep -c answered
	inside journalctl -u hearthd -x --no-pager | grep "hearthctl logs --turn"
	echo "followed, of a time, the last turn, the slowest, and explained by the catalog"
}

bad_configuration() {
	configure 90-bad 'audio: {volume: 400}'
	inside systemctl restart hearthd.service
	await 20 condition configuration
	inside rm -r /var/lib/hearthd/configuration
	inside systemctl restart hearthd.service && return 1
	inside systemctl reset-failed hearthd.service
	local before
	before=$(logged "audio.volume")
	inside sh -c 'timeout 3 hearthctl status' && return 1
	sleep 5
	[ "$(field MainPID)" = 0 ]
	[ "$(logged "audio.volume")" -le $((before + 2)) ]
	inside rm /etc/hearthd/conf.d/90-bad.yaml
	inside systemctl start hearthd.service
	await 20 running
	echo "what held before goes on; where nothing has, exit status 78, and no restart"
}

broker_absent() {
	configure 60-broker 'mqtt: {broker: "mqtt://127.0.0.1:11883"}'
	inside systemctl restart hearthd.service
	await 20 running
	await 20 condition broker
	ctl ask "what time is it"
	printf 'listener 11883 127.0.0.1\nallow_anonymous true\n' | inside tee /etc/mosquitto/conf.d/test.conf >/dev/null
	inside systemctl start mosquitto.service
	await 40 no_condition broker
	inside systemctl stop mosquitto.service
	inside rm /etc/hearthd/conf.d/60-broker.yaml
	inside systemctl restart hearthd.service
	await 20 running
	echo "READY without it, connected once it was there"
}

# The state on a file system of its own, small and then full.
disk_full() {
	trap 'inside sh -c "umount -l /var/lib/hearthd; umount -l /run/full"' EXIT
	inside systemctl stop hearthd.socket hearthd.service
	inside sh -c 'mkdir /run/full && mount -t tmpfs -o size=24m full /run/full && cp -a /var/lib/hearthd/. /run/full/ && chown hearthd: /run/full && mount --bind /run/full /var/lib/hearthd'
	inside systemctl start hearthd.service
	await 20 running
	inside dd if=/dev/zero of=/var/lib/hearthd/ballast bs=64k status=none || true
	# What cannot be kept is not promised.
	ctl ask "set a noodle timer for nine minutes" && return 1
	await 20 condition disk
	ctl ask "what time is it"
	inside rm /var/lib/hearthd/ballast
	ctl ask "what time is it"
	await 30 no_condition disk
	inside systemctl stop hearthd.socket hearthd.service
	inside sh -c 'umount /var/lib/hearthd && umount /run/full && rmdir /run/full'
	trap - EXIT
	inside systemctl start hearthd.service
	await 20 running
	echo "promises nothing, says so, and goes on when there is room"
}

# What is resident may be a tenth more than after the first twelve requests.
turns() { # COUNT
	short_answers
	inside systemctl restart hearthd.service
	await 20 running
	local pid first last
	pid=$(field MainPID)
	requests 1 12
	first=$(at_rest "$pid")
	requests 13 "$1"
	last=$(at_rest "$pid")
	inside rm /etc/hearthd/conf.d/70-short.yaml
	inside systemctl restart hearthd.service
	await 20 running
	echo "$first kB at rest after 12, $last kB after $1; $(inside du -sk /var/lib/hearthd | cut -f 1) kB of state"
	[ "$last" -le $((first * 11 / 10)) ]
}

short_answers() { configure 70-short 'tts: {engine: command, command: {argv: [cat, /opt/test/short.wav]}}'; }

# Seven days of 288 requests each, and an hour or two between them in which nobody asks,
# with an alarm every day, a model that is asked too, and more turns than are kept. The
# clock of this hearthd goes 300 times as fast (clock.sh).
week() {
	local pid first last day days
	inside systemctl stop hearthd.socket hearthd.service
	inside install /opt/test/hearthd.week /usr/bin/hearthd
	inside systemd-run --quiet --unit=model perl /opt/test/model.pl
	short_answers
	configure 71-week 'memory: {turns: 1000}'
	inside systemctl start hearthd.service
	await 20 running
	pid=$(field MainPID)
	inside hearthctl events --follow --json >"$work/week" &
	ctl ask "wake me up at seven every day"
	requests 1 12 "why is jam so sweet, number"
	first=$(at_rest "$pid")
	today "$pid" "after 12"
	for day in {1..7}; do
		requests $((day * 288 - (day > 1 ? 287 : 275))) $((day * 288)) "why is jam so sweet, number"
		sleep 45 # its conversation ends, and 20 s later it reflects
		today "$pid" "day $day"
	done
	last=$(at_rest "$pid")
	today "$pid" "at rest"
	[ "$(field MainPID)" = "$pid" ]
	days=$((($(at_event tail) - $(at_event head)) / 86400))
	echo "$first kB at rest after 12, $last kB after 2016 in $days days"
	[ "$days" -ge 7 ] && [ "$last" -le $((first * 11 / 10)) ]
}

# today tells what hearthd holds, and what it did of the work of each day.
today() { # PID NAME
	row ok - "  $2" "$(inside awk '/VmRSS/ { rss = $2 } /RssAnon/ { print rss " kB, " $2 " of it anonymous" }' "/proc/$1/status"), $(inside du -sk /var/lib/hearthd | cut -f 1) kB of state, $(inside ls "/proc/$1/fd" | wc -l) files, $(inside ls "/proc/$1/task" | wc -l) threads, $(goroutines) goroutines, $(alarms) alarms, $(notes) notes, backup of $(inside stat -c %y /var/lib/hearthd/hearthd.db.backup | cut -c 12-19)"
}

goroutines() { inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/4327; printf "GET /metrics HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" "$(hearthctl console --metrics)" >&3; sed -n "s/^go_goroutines //p" <&3'; }
alarms() { grep '"type":"timer_fired"' "$work/week" | grep -c '"kind":"alarm"' || true; }
notes() { ctl memory export | grep -c 'likes jar' || true; }

# at_event is when the first or the last event was, in seconds of hearthd's clock.
at_event() { # head|tail
	date -d "$("$1" -n 1 "$work/week" | sed 's/.*"time":"\([^"]*\)".*/\1/')" +%s
}

# requests asks one after the other, in a second at least; none may fail.
requests() { # FIRST LAST [WHAT ELSE]
	inside bash -c "$(declare -f request); for i in {$1..$2}; do sleep 1 & request \$i '${3:-}' || echo failed \$i; wait; done" >"$work/turns"
	! grep failed "$work/turns"
}

# at_rest is what hearthd keeps: once a minute, while nobody talks, it gives back what the
# one before needed, with the pages of the program, which come back as they are needed. So
# it is the least of four minutes.
at_rest() { # PID
	sleep 5
	ctl stop >/dev/null # what was set last rings
	for _ in {1..240}; do
		sleep 1
		inside awk '/VmRSS/ { print $2 }' "/proc/$1/status"
	done | sort -n | sed -n 1p
}

request() { # NUMBER [WHAT ELSE]
	local words=("set a timer for two seconds" "add jam $(($1 % 40)) to the shopping list" "what time is it"
		"how many grams are $1 ounces" "remember that jar $1 is on the shelf" "what is on the shopping list" ${2:+"$2 $1"})
	hearthctl ask "${words[$1 % ${#words[@]}]}" && hearthctl stop
}

# dpkg refuses it by the incoming package, and the daemon goes on as it is.
downgrade_refused() {
	local pid
	pid=$(field MainPID)
	install older >"$work/refused" 2>&1 && return 1
	grep "nothing was changed" "$work/refused"
	grep "To go back all the same" "$work/refused"
	[ "$(field MainPID)" = "$pid" ] && running
	[ "$(inside dpkg-query -W -f '${db:Status-Status} ${Version}' hearthd)" = "installed $(dpkg-deb -f "$PACKAGE" Version)" ]
	! inside dpkg --audit | grep hearthd
	ctl status >/dev/null
	echo "nothing is changed, by the process that ran"
}

# Who insists removes the newer one first. As if that had added to the schema: its number is at byte 60.
older_program() {
	inside apt-get remove -q -y hearthd
	inside sh -c "printf '\\0\\0\\003\\347' | dd of=/var/lib/hearthd/hearthd.db bs=1 seek=60 conv=notrunc status=none"
	install older
	await 20 running
	timer_set pizza
	ctl lists | grep -c capers
	no_condition memory
	ctl ask "set a tea timer for two hours"
	echo "timers and lists of a newer memory are there, with $(dpkg-deb -f "$PREVIOUS" Version)"
}

upgrade_again() {
	install new
	await 20 running
	timer_set pizza
	timer_set tea
	ctl lists | grep -c capers
	echo "and what was set meanwhile"
}

remove() {
	inside apt-get remove -q -y hearthd
	[ -z "$(inside pgrep -x hearthd)" ]
	inside test ! -e /usr/bin/hearthd -a ! -e /run/hearthd
	inside test -e /var/lib/hearthd/hearthd.db -a -e /etc/hearthd/conf.d/50-mine.yaml
	! inside systemctl is-enabled hearthd.service
}

install_again() {
	install new
	await 20 running
	timer_set pizza
	inside systemctl is-enabled hearthd.service
}

read_only() {
	await 30 running
	condition memory
	ctl ask "set a bean timer for twenty minutes"
	timer_set bean
	timer_set pizza
	ctl status
	echo "runs from a copy in memory, and says so"
}

purge() {
	inside apt-get purge -q -y hearthd
	inside getent passwd hearthd
	local left
	left=$(inside find / -xdev -path /proc -prune -o -path /opt/test -prune -o -iname '*hearthd*' -print)
	echo "$left" | grep -v '^$' && return 1
	echo "the account is left"
}

first_install() {
	install new
	await 20 running
	inside systemctl is-enabled hearthd.service hearthd.socket
	ctl status
	condition microphone && return 1
	echo "READY after $(took) ms"
}

# The repository of the previous version is installed from, and then that of both.
repository() {
	export GNUPGHOME=$work/gnupg
	rm -rf "$GNUPGHOME"
	mkdir -m 0700 "$GNUPGHOME"
	gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-generate-key vm-test@localhost ed25519 sign 1d
	local key repo=$work/root/opt/test/apt
	key=$(gpg --list-secret-keys --with-colons | awk -F: '$1 == "fpr" { print $10; exit }')
	KEY=$key URL=file:/opt/test/apt packaging/apt-repo.sh "$repo" "$PREVIOUS"
	inside install -D -m 0644 /opt/test/apt/hearthd.asc /etc/apt/keyrings/hearthd.asc
	inside install -D -m 0644 /opt/test/apt/hearthd.sources /etc/apt/sources.list.d/hearthd.sources
	inside apt-get update -q
	inside apt-get install -q -y hearthd
	await 20 running
	ctl update check | grep "the newest that apt knows of"
	KEY=$key URL=file:/opt/test/apt packaging/apt-repo.sh "$repo" "$PACKAGE"
	gpgconf --kill all
	ctl update check --refresh | grep "$(dpkg-deb -f "$PACKAGE" Version) can be: apt install hearthd"
	inside apt-get install -q -y hearthd
	await 20 running
	ctl update check
	# What was changed after it was signed is refused; TestAptRefuses… has another key, an older repository and its end.
	inside sh -c 'sed -i "s/main/main main/" /opt/test/apt/dists/stable/InRelease'
	inside apt-get update -q 2>&1 | grep -i "signature\|BADSIG\|not signed"
	inside rm /etc/apt/keyrings/hearthd.asc /etc/apt/sources.list.d/hearthd.sources
	inside sh -c 'rm -f /var/lib/apt/lists/*hearthd* /var/lib/apt/lists/*_opt_test_*'
	echo "installed and upgraded by apt; what was changed after it was signed is refused"
}
