package dialogue

// otherVoice is the reason of an event.Ignored: a yes that is not from who was asked.
const otherVoice = "other_voice"

// How much softer and louder than the request the yes may be, in dB. Of one voice that
// stays where it is, "yes" is up to 6.5 dB softer than a request and up to 3 dB louder
// (five synthetic voices, the loudest 100 ms of each, 2026-11); a step away from the
// microphone is as much again where people stand close by.
const (
	softerYes = 10
	louderYes = 6
)

// wantsYes reports whether a yes is the answer that does something.
func (q *question) wantsYes() bool { return len(q.then) == 0 && !q.record }

// stranger reports whether u says yes for somebody else: from much farther away than the
// request, or much louder, as a television does.
func (m *machine) stranger(u *utterance, text string) bool {
	q := m.question
	if q == nil || !q.voice || !q.wantsYes() || q.level == 0 || u.level == 0 {
		return false
	}
	if call, _, ok := m.opt.Matcher.Match(text); !ok || call.Name != consentCall || !agrees(call) {
		return false
	}
	return u.level < q.level-softerYes || u.level > q.level+louderYes
}
