# Sourced by test.sh: the speech server under systemd. SPEECH names a folder as on a stick: an archive of the
# library (pip download --no-deps sherpa-onnx-core), and the models whisper-tiny.en and piper-joe that
# rigs/speechtest/fetch.sh DIR real makes.

speech_steps() {
	if [ -z "${SPEECH:-}" ]; then
		skip "speech server" "SPEECH names no folder"
		return
	fi
	cp -r "$SPEECH" "$work/root/opt/test/stick"
	mkdir -p "$work/root/etc/hearthd/conf.d"
	echo 'log: {transcripts: true}' >"$work/root/etc/hearthd/conf.d/40-transcripts.yaml"
	boot
	install new >/dev/null 2>&1
	step 60 "box without speech" speech_absent
	step 90 "button of the console" speech_button
	step 300 "speech from a stick" speech_installs
	step 60 "socket activation" speech_on_demand
	step 60 "sandbox" speech_sandbox
	step 120 "whole request" speech_hears
	step 120 "engine stands still" speech_stands_still
	step 90 "engine crashes" speech_crashes
	if inside grep -qw memory /sys/fs/cgroup/cgroup.controllers; then
		step 180 "engine grows" speech_grows
	elif [ "$release" = bookworm ] && [ -d /sys/fs/cgroup/memory ]; then # version 1, which its systemd still uses
		halt
		UNIFIED=0 boot
		inside mount -o remount,bind,rw,nosuid,nodev,noexec /sys/fs/cgroup/memory
		inside systemctl daemon-reexec
		step 180 "engine grows" speech_grows
		halt
		boot
	else
		skip "engine grows" "this host gives a container no limit of memory"
	fi
	if [ "${IDLE:-no}" != no ]; then
		step 900 "models nobody uses" speech_unloads
	else
		skip "models nobody uses" "IDLE=no"
	fi
	step 60 "use --off, remove" speech_goes
	step 60 "purge" speech_purged
	halt
}

of_speech() { inside systemctl show -P "$1" hearth-speech.service; }
speech_runs() { [ "$(of_speech ActiveState)" = active ]; }
heard_by() { ctl status --json | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" | grep . || echo 0; }
heard_more() { [ "$(heard_by "$1")" -gt "$2" ]; }
speech_tells() { inside journalctl -u hearth-speech.service -o cat --no-pager | grep -q "$1"; }

# speak opens a window by hand and says a sentence: one that the built-in recogniser knows (order), or one that it
# does not (free).
speak() { # FILE
	await 60 idle
	ctl listen
	inside sh -c "cat /opt/test/$1.raw >/opt/test/microphone"
}

idle() { ctl status --json | grep '"state": "idle"'; }

# hears says it again until the named recogniser has heard one more. A server that failed is left alone for 15 s.
hears() { # FILE RECOGNISER
	local before try
	before=$(heard_by "$2")
	for try in 1 2 3 4 5; do
		speak "$1"
		if await 7 heard_more "$2" "$before"; then return 0; fi
	done
	return 1
}

# Nothing is there, and every command says what to do.
speech_absent() {
	await 20 running
	[ "$(inside systemctl show -P ActiveState hearth-speech.socket)" = inactive ]
	ctl speech list
	ctl speech test >"$work/refused" 2>&1 && return 1
	grep "hearthctl speech install" "$work/refused"
	ctl speech install --yes --language en >"$work/refused" 2>&1 && return 1
	grep "github.com cannot be reached" "$work/refused"
	running
	tail -n 1 "$work/refused"
}

speech_installs() {
	ctl speech install --yes --from /opt/test/stick /opt/test/stick/piper-joe /opt/test/stick/whisper-tiny.en
	inside cat /etc/hearthd/conf.d/90-set.yaml
	ctl speech bench
	running
	no_condition recogniser
	ctl speech list | grep -c used
}

speech_on_demand() {
	inside systemctl stop hearth-speech.service
	[ "$(inside systemctl show -P ActiveState hearth-speech.socket)" = active ]
	! speech_runs
	ctl speech test
	speech_runs
	echo "who connects starts it"
}

speech_sandbox() {
	local pid level
	pid=$(of_speech MainPID)
	level=$(inside systemd-analyze security hearth-speech.service --no-pager | sed -n 's/.*Overall exposure level.*: \([0-9.]*\).*/\1/p')
	[ "$(inside sh -c "grep -c : /proc/$pid/net/dev")" = 1 ] # lo
	[ "$(inside stat -c %u "/proc/$pid")" -gt 60000 ]
	inside grep -E '^(CapEff|CapBnd):.0+$' "/proc/$pid/status" | wc -l | grep -x 2
	inside grep -E '^Seccomp:.2$' "/proc/$pid/status"
	inside nsenter --target "$pid" --mount touch /var/lib/hearth-speech/x /etc/x && return 1
	echo "an account of its own, no network, nothing to write to; systemd-analyze security: $level"
}

speech_hears() {
	hears free wyoming
	ctl logs --last
	ctl status | grep "heard by"
}

# The order is answered in the same turn, by the built-in recogniser.
speech_stands_still() {
	inside systemctl kill -s STOP hearth-speech.service
	hears order pocketsphinx
	ctl logs --last | tail -n 1
	condition recogniser || speak free # the built-in one was certain, and did not wait
	await 30 condition recogniser
	inside systemctl kill -s CONT hearth-speech.service
	hears free wyoming
	no_condition recogniser
	echo "the order is answered, and the condition begins and ends"
}

speech_crashes() {
	local pid before
	pid=$(field MainPID) before=$(of_speech NRestarts)
	inside systemctl kill --kill-who=main -s SEGV hearth-speech.service
	await 20 speech_restarted "$before"
	hears free wyoming
	[ "$(field MainPID)" = "$pid" ]
	echo "started again, and it hears; hearthd is the same process"
}

speech_grows() {
	local pid since
	await 60 running
	pid=$(field MainPID) since=@$(inside date +%s)
	inside systemctl set-property --runtime hearth-speech.service MemoryMax=120M
	inside systemctl stop hearth-speech.service
	hears order pocketsphinx
	condition recogniser || speak free
	await 30 condition recogniser
	inside journalctl -u hearth-speech.service -o cat --no-pager --since "$since" | grep "oom-kill\|status=9/KILL"
	inside systemctl set-property --runtime hearth-speech.service MemoryMax=60%
	inside systemctl stop hearth-speech.service
	hears free wyoming
	no_condition recogniser
	[ "$(field MainPID)" = "$pid" ]
	echo "ended at its limit, the order answered, and the condition ended"
}

speech_restarted() { [ "$(of_speech NRestarts)" -gt "$1" ] && speech_runs; }

# hearthd asks for it, as a press of the console's button does; there is no network.
speech_button() {
	local pid
	pid=$(field MainPID)
	inside runuser -u hearthd -- touch /run/hearthd/work/speech-install
	await 60 inside grep "Without a network" /run/hearth-speech-install.log
	await 10 inside test ! -e /run/hearthd/work/speech-install
	[ "$(field MainPID)" = "$pid" ]
	inside grep "Without a network" /run/hearth-speech-install.log | cut -c 1-200
	running
	echo "root runs the one command, and its log says why there is no speech"
}

# A model is unloaded ten minutes after its last use.
speech_unloads() {
	local pid before
	pid=$(of_speech MainPID)
	before=$(inside awk '/VmRSS/ { print $2 }' "/proc/$pid/status")
	await 780 speech_tells "model unloaded"
	echo "$before kB, then $(inside awk '/VmRSS/ { print $2 }' "/proc/$pid/status") kB resident"
}

speech_goes() {
	ctl speech remove whisper-tiny.en && return 1 # it is used
	ctl speech use --off
	running
	ctl speech remove --force whisper-tiny.en piper-joe
	ctl speech list
}

speech_purged() {
	inside apt-get purge -q -y hearthd
	inside test ! -e /var/lib/hearth-speech -a ! -e /usr/bin/hearth-speech -a ! -e /run/hearth-speech
	[ -z "$(inside pgrep -x hearth-speech)" ]
	echo "nothing is left of it"
}
