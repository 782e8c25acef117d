package memory

import (
	"testing"
	"time"
)

func TestSpendingIsCountedByDayAndMonth(t *testing.T) {
	s := openNew(t)
	at := func(text string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04", text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, e := range []struct {
		at    string
		money float64
	}{{"2026-10-31 23:59", 8}, {"2026-11-01 00:00", 4}, {"2026-11-20 12:00", 1}, {"2026-11-21 08:00", 0.5},
		{"2026-11-21 20:00", 0.25}} {
		if err := s.AddSpent(t.Context(), at(e.at), e.money); err != nil {
			t.Fatal(err)
		}
	}
	day, month, err := s.Spent(t.Context(), at("2026-11-21 21:00"))
	if err != nil || day != 0.75 || month != 5.75 {
		t.Errorf("day %v, month %v, %v", day, month, err)
	}
}
