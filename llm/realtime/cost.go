package realtime

// Usage is what responses cost, in tokens.
type Usage struct {
	TextIn, TextCached, TextOut    int
	AudioIn, AudioCached, AudioOut int
	Seconds                        float64 // of a session that is paid by time
}

// Prices are what a million tokens cost, in the money of the household. Cached
// tokens are those of the input that the service had seen before.
type Prices struct {
	TextIn, TextCached, TextOut    float64
	AudioIn, AudioCached, AudioOut float64

	// Of the model that writes down what people say, which is paid by tokens or by the
	// minute.
	TranscriptIn, TranscriptOut, TranscriptMinute float64
	// Of a minute of a session that is paid by time.
	SessionMinute float64
}

// audioTokens is how many tokens a second of a person has (OpenAI: one for 100 ms).
const audioTokens = 10

// transcript is what u costs. A usage in another measure than the price is converted: nothing that
// was paid for counts as free.
func (p *Prices) transcript(u transcriptUsage) float64 {
	in, out, seconds := float64(max(u.In, 0)), float64(max(u.Out, 0)), max(u.Seconds, 0)
	switch {
	case p.TranscriptMinute == 0:
		in += seconds * audioTokens
	case p.TranscriptIn == 0 && p.TranscriptOut == 0:
		seconds += in / audioTokens
	}
	return (in*p.TranscriptIn+out*p.TranscriptOut)/1e6 + seconds/60*p.TranscriptMinute
}

// sum is a response's usage; the tokens that were cached are no longer counted as
// new.
func (u *usage) sum() Usage {
	cached := details{max(u.Input.Cached.Text, 0), max(u.Input.Cached.Audio, 0)}
	return Usage{
		TextIn: max(u.Input.Text-cached.Text, 0), TextCached: cached.Text, TextOut: max(u.Output.Text, 0),
		AudioIn: max(u.Input.Audio-cached.Audio, 0), AudioCached: cached.Audio, AudioOut: max(u.Output.Audio, 0),
		Seconds: max(u.Seconds, 0),
	}
}

// cost is what u costs.
func (p *Prices) cost(u Usage) float64 {
	sum := float64(u.TextIn)*p.TextIn + float64(u.TextCached)*p.TextCached + float64(u.TextOut)*p.TextOut +
		float64(u.AudioIn)*p.AudioIn + float64(u.AudioCached)*p.AudioCached + float64(u.AudioOut)*p.AudioOut
	return sum/1e6 + u.Seconds/60*p.SessionMinute
}

// tokens is how many there were.
func (u Usage) tokens() (in, out int) {
	return u.TextIn + u.TextCached + u.AudioIn + u.AudioCached, u.TextOut + u.AudioOut
}
