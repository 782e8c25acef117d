// Package clock holds the tools time_now and date_today. It runs no goroutine
// and imports llm and tools only.
package clock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hearthd/llm"
	"hearthd/tools"
)

// Options says how a household reads its clock.
type Options struct {
	Location *time.Location
	Hour24   bool             // "15:20" instead of "3:20 PM"
	Now      func() time.Time // nil: time.Now
}

type clock struct{ Options }

type none struct{}

var noParameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// New makes the two tools.
func New(o Options) ([]tools.Tool, error) {
	if o.Location == nil {
		return nil, errors.New("make clock: a location is needed")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := clock{o}
	return []tools.Tool{
		tools.Func(llm.ToolSpec{Name: "time_now", Description: "Tells the time of day.", Parameters: noParameters}, c.time),
		tools.Func(llm.ToolSpec{Name: "date_today", Description: "Tells today's date and day of the week.", Parameters: noParameters}, c.date),
	}, nil
}

func (c clock) time(context.Context, none) (tools.Result, error) {
	now := c.Now().In(c.Location)
	return tools.Result{Text: "It's " + spoken(now, c.Hour24) + ".", Data: now.Format(time.RFC3339)}, nil
}

func (c clock) date(context.Context, none) (tools.Result, error) {
	now := c.Now().In(c.Location)
	text := fmt.Sprintf("Today is %s, %s %s.", now.Weekday(), now.Month(), ordinal(now.Day()))
	return tools.Result{Text: text, Data: now.Format(time.DateOnly)}, nil
}

// spoken writes a time of day so that espeak-ng and flite both read it well:
// "3:20 PM", and "3 PM" rather than "3:00 PM", whose zeros espeak-ng reads out.
func spoken(t time.Time, hour24 bool) string {
	switch {
	case hour24:
		return t.Format("15:04")
	case t.Minute() == 0:
		return t.Format("3 PM")
	}
	return t.Format("3:04 PM")
}

func ordinal(day int) string {
	suffix := "th"
	if day/10 != 1 {
		switch day % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(day, suffix)
}
