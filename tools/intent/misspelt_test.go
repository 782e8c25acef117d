package intent

import "testing"

func TestWordsThatAreMisspeltAreReadWhereNothingElseIs(t *testing.T) {
	m := newMatcher(t)
	for text, want := range map[string]string{
		"set a tmier for ten minutse":                 `timer_set {"duration_s":600}`,
		"cancle the alarm":                            `alarm_cancel {}`,
		"set a remindr at five to call john":          `reminder_set {"text":"to call john","time":"05:00?"}`,
		"whats teh time":                              `time_now {}`,
		"remind me to-morrow at nine to call the vet": `reminder_set {"day":"tomorrow","text":"to call the vet","time":"09:00?"}`,
		"lamp to fifty per-cent":                      `home_control {"action":"set","name":"lamp","unit":"percent","value":50}`,
		"the brother is off":                          ` `, // and not a bother
		"she moved the clock":                         ` `,
	} {
		got, _ := m.Match(text)
		if call := got.Call.Name + " " + string(got.Call.Arguments); call != want {
			t.Errorf("%q: %s, want %s", text, call, want)
		}
	}
}
