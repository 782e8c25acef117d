package main

import "regexp"

// step is one thing that a person says to the speaker, or that the kitchen does
// without meaning it.
type step struct {
	say     string         // spoken in the room
	text    string         // asked as text instead
	heard   *regexp.Regexp // of the transcript
	tool    string         // that must have run well; empty: none
	route   string         // that must have answered
	answer  *regexp.Regexp
	timers  int  // that run afterwards; -1: any number
	nothing bool // no turn may begin
	over    bool // music plays, which becomes softer and comes back
}

// script is the conversation. Voices, numbers and names are those of an evening
// in a kitchen; each sentence begins with the wake phrase, but for one that
// falls into the follow-up window.
func script() []step {
	re := regexp.MustCompile
	return []step{
		{
			say:   "Hey hearth, set a pasta timer for ten minutes.",
			heard: re(`(?i)pasta timer for ten minutes`), route: "intent", tool: "timer_set",
			answer: re(`(?i)pasta.*(ten|10) minutes`), timers: 1,
		},
		{
			say:   "How much time is left on the pasta timer?",
			heard: re(`(?i)left on the pasta timer`), route: "intent", tool: "timer_left",
			answer: re(`(?i)nine minutes|ten minutes|9 minutes`), timers: 1,
		},
		{
			say:   "Hey hearth, add milk and eggs to the shopping list.",
			heard: re(`(?i)milk and eggs to the shopping list`), route: "intent", tool: "list_add",
			answer: re(`(?i)milk.*eggs`), timers: 1,
		},
		{
			say:     "The neighbours said on the radio that the train to Lisbon was late again this morning.",
			nothing: true, timers: 1,
		},
		{
			say:   "Hey hearth, how many grams are two cups of flour?",
			heard: re(`(?i)grams are two cups of flour`), route: "intent", tool: "convert_unit",
			answer: re(`(?i)gram`), timers: 1,
		},
		{
			say:   "Hey hearth, what time is it?",
			heard: re(`(?i)what time is it`), route: "intent", tool: "time_now",
			answer: re(`\d`), timers: 1,
		},
		{
			say:   "Hey hearth, cancel the pasta timer.",
			heard: re(`(?i)cancel the pasta timer`), route: "intent", tool: "timer_cancel",
			answer: re(`(?i)cancel`), timers: 0,
		},
		{
			say:   "Hey hearth, play radio one.",
			heard: re(`(?i)play radio one`), route: "intent", tool: "media_play",
			answer: re(`Radio One`), timers: 0,
		},
		{
			say:   "Hey hearth, what time is it?",
			heard: re(`(?i)what time is it`), route: "intent", tool: "time_now",
			answer: re(`\d`), over: true,
		},
		{
			say:   "Hey hearth, set a timer for five minutes.",
			heard: re(`(?i)timer for five minutes`), route: "intent", tool: "timer_set",
			answer: re(`(?i)five|5`), timers: 1, over: true,
		},
		{
			say:   "Hey hearth, stop the music.",
			heard: re(`(?i)stop the music`), route: "intent", tool: "media_control",
			answer: re(`(?i)okay`), timers: 1,
		},
	}
}
