package realtime

// Usage is what responses cost, in tokens.
type Usage struct {
	TextIn, TextCached, TextOut    int
	AudioIn, AudioCached, AudioOut int
}

// Prices are what a million tokens cost, in the money of the household. Cached
// tokens are those of the input that the service had seen before.
type Prices struct {
	TextIn, TextCached, TextOut    float64
	AudioIn, AudioCached, AudioOut float64
}

// sum is a response's usage; the tokens that were cached are no longer counted as
// new.
func (u *usage) sum() Usage {
	return Usage{
		TextIn: max(u.Input.Text-u.Input.Cached.Text, 0), TextCached: u.Input.Cached.Text, TextOut: u.Output.Text,
		AudioIn: max(u.Input.Audio-u.Input.Cached.Audio, 0), AudioCached: u.Input.Cached.Audio, AudioOut: u.Output.Audio,
	}
}

// Cost is what u costs.
func (p *Prices) Cost(u Usage) float64 {
	sum := float64(u.TextIn)*p.TextIn + float64(u.TextCached)*p.TextCached + float64(u.TextOut)*p.TextOut +
		float64(u.AudioIn)*p.AudioIn + float64(u.AudioCached)*p.AudioCached + float64(u.AudioOut)*p.AudioOut
	return sum / 1e6
}

// Tokens is how many there were.
func (u Usage) Tokens() (in, out int) {
	return u.TextIn + u.TextCached + u.AudioIn + u.AudioCached, u.TextOut + u.AudioOut
}
