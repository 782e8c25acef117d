package enrolled

// tail takes the room out of powers, band by band: a power that is not well above what was heard
// just before is mostly the room's reverberation. Hearing masks forward in the same way. A word at
// arm's length and one across the room are alike after it; steady vowels are a little weaker for
// it, and onsets stand out.
type tail struct{ past powers }

// The past is a mean that forgets half in 16 ms. Sound has to be louder than tailOver times it;
// otherwise it keeps tailLeast of itself, which is 7 dB less. Chosen, among a dozen settings, where
// the nine voices of threshold.go were separated best from their other talk.
const (
	tailMemory = 0.65
	tailOver   = 2.6
	tailLeast  = 0.2
)

// cut takes the tail out of p, the powers of the next hop, in steady noise, which
// stays.
func (t *tail) cut(p, noise *powers) {
	for b, v := range p {
		sound := v - noise[b]
		if sound <= 0 {
			sound = 0
		} else {
			p[b] = noise[b] + max(sound-tailOver*t.past[b], tailLeast*sound)
		}
		t.past[b] += (1 - tailMemory) * (sound - t.past[b])
	}
}
