# Sourced by test.sh: a box with a year of data is upgraded; going back is refused, and then done as the refusal says.

upgrade_steps() {
	boot
	inside dpkg --purge hearthd >/dev/null 2>&1 # of the power cuts, where they were tried before
	step 60 "previous version installs" previous_installs
	step 300 "a year of data" year_lives
	step 120 "upgrade keeps a year" year_upgraded
	step 60 "downgrade of it is refused" downgrade_refused
	step 180 "the way back" way_back
	step 60 "upgrade again" upgrade_of_before
	step 60 "what is forgotten is in no backup" forgotten
	step 60 "purge" purge
	halt
}

# year builds rigs/year with the memory of a package's commit.
year() { # PACKAGE NAME
	local version commit tree=$work/tree.year
	version=$(dpkg-deb -f "$1" Version)
	commit=v$version
	[[ $version != *.g* ]] || commit=${version##*.g}
	git worktree add -q --detach "$tree" "$commit"
	mkdir -p "$tree/rigs/year"
	cp rigs/year/main.go "$tree/rigs/year/"
	(cd "$tree" && go build -buildvcs=false -o "$work/year.$2" ./rigs/year)
	git worktree remove --force "$tree"
}

# year_lives makes the year: the memory by its own writers, the rest by the program itself.
year_lives() {
	local db=$work/root/var/lib/hearthd/hearthd.db
	inside sh -c 'echo "# edited by hand" >>/etc/hearthd/hearthd.yaml'
	configure 50-mine 'node: galley'
	inside systemctl stop hearthd.socket hearthd.service
	"$work/year.previous" write "$db"
	chown --reference="$work/root/var/lib/hearthd" "$db"*
	inside systemctl start hearthd.service
	await 20 running
	enrol
	configure 60-year "$(cat <<-'YAML'
		memory: {people: [person0, person1, person2, person3], voices: "unix:/run/hearth-speech/wyoming.sock"}
		wake:
		  words:
		    - {model: good_morning_kitchen, name: good morning kitchen}
		    - {model: hey kitchen, server: "unix:/run/hearth-speech/wyoming.sock", cutoff: 0.45}
	YAML
	)"
	inside systemctl restart hearthd.service
	await 20 running
	ctl radio add "Radio One" http://192.0.2.1/one.mp3
	ctl ask "wake me up at seven on weekdays"
	ctl ask "remind me on the first of december at six to call mum"
	ctl ask "set a pizza timer for three hours"
	ctl ask "add capers to the shopping list"
	ctl ask "add dentist on friday at 3 pm to the calendar"
	inside systemctl restart hearthd.service # which ends the conversation, and notes that
	await 20 running
	tells previous "$work/before"
	echo "$(wc -l <"$work/before/memory") things of a year, $(du -h "$db" | cut -f 1)B, and $(find "$work/before" -type f | wc -l) files"
}

# enrol says a wake word as often as it is asked for, up to six times.
enrol() {
	local said pid
	inside hearthctl wake enroll good morning kitchen >"$work/enrolment" 2>&1 &
	pid=$!
	for said in 1 2 3 4 5 6; do
		await 20 asked "$said" $pid
		kill -0 $pid 2>/dev/null || break
		inside sh -c "cat /opt/test/word$((said % 3 + 1)).raw >/opt/test/microphone"
	done
	wait $pid
}

asked() { ! kill -0 "$2" 2>/dev/null || [ "$(grep -o Say "$work/enrolment" | wc -l)" -ge "$1" ]; }

# tells writes into a folder what a box knows: what its own backup holds, the memory line by line, and what it lists.
tells() { # previous|new FOLDER
	rm -rf "$2"
	mkdir "$2"
	ctl backup --force /opt/test/backup
	tar -C "$2" -xzf "$work/root/opt/test/backup"
	"$work/year.$1" show "$2/state/hearthd.db" >"$2/memory"
	rm "$2"/state/hearthd.db* "$2/manifest.json"
	cp "$work/root/etc/hearthd/stations.yaml" "$2/config/"
	ctl wake list >"$2/wake"
	ctl voice list >"$2/voices"
	ctl radio list >"$2/stations"
	ctl lists >"$2/lists"
	ctl timers --json | grep -v '"remaining' >"$2/timers"
}

year_upgraded() {
	install new
	await 20 running
	tells new "$work/after"
	diff -r "$work/before" "$work/after"
	no_condition memory
	ls -l "$work/root/var/lib/hearthd"
	ctl ask "what alarms do I have"
	[ -e "$work/root/var/lib/hearthd/hearthd.db.kept-$(dpkg-deb -f "$PREVIOUS" Version).backup" ]
	echo "from $(dpkg-deb -f "$PREVIOUS" Version), no difference in $(wc -l <"$work/after/memory") things; READY after $(took) ms"
}

# As the refusal says.
way_back() {
	local kept
	ctl ask "set a tea timer for two hours" # since the upgrade: not in the backup
	inside apt-get remove -q -y hearthd
	install older >"$work/older" 2>&1
	grep -o "systemctl stop hearthd.socket; hearthctl restore .*; systemctl start hearthd" "$work/older" >"$work/way"
	inside sh -c "$(cat "$work/way")"
	await 20 running
	tells previous "$work/back"
	diff -r "$work/before" "$work/back"
	kept=$(cd "$work/root/var/lib" && echo hearthd.before-*)
	[ -e "$work/root/var/lib/$kept/hearthd.db" ]
	echo "restored, no difference; what came after is kept as /var/lib/$kept"
}

upgrade_of_before() {
	install new
	await 20 running
	tells new "$work/after"
	diff -r "$work/before" "$work/after"
	echo "no difference"
}

# The backup of the upgrade holds what was said: forgetting deletes it.
forgotten() {
	ls "$work/root/var/lib/hearthd/"*.kept-*.backup
	ctl memory forget "shelf 3493"
	ls "$work/root/var/lib/hearthd/"*.kept-*.backup && return 1
	inside sh -c 'grep -l "shelf 3493" /var/lib/hearthd/*' && return 1
	echo "forgetting deletes the backup of the upgrade"
}
