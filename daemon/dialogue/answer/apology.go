package answer

// What people hear when something fails: the one table of apologies. A raw error
// is never spoken. The exported ones are for those who know the thinker's errors.
const (
	SayThinkerGone  = "My thinker is not reachable. Timers, lists and the clock still work."
	SayThinkerModel = "My thinker does not have its model. Timers, lists and the clock still work."
	SayThinkerRate  = "My thinker was asked too often. Please ask again in a moment."
	SayThinkerBusy  = "My thinker is busy. Please ask again in a moment."
	SayThinkerQuota = "The account of my thinker is used up. Timers, lists and the clock still work."
	SayThinkerKey   = "My thinker does not take its key. Timers, lists and the clock still work."
	// SayThinkerRefused is said when it does not take what it was asked.
	SayThinkerRefused = "Sorry, my thinker refused that request."
	SayThinkerSlow    = "Sorry, that took me too long."
	SayThinkerBroke   = "Sorry, my thinker stopped in the middle of the answer."
	SayNothing        = "Sorry, I have no answer to that."

	SayDeclined       = "All right, I won't."
	SayUnanswered     = "I heard no yes, so I did nothing."
	SayNameQuestion   = "A yes in writing has to name the question that it answers, so I did nothing."
	SayNoAnswer       = "I heard no answer, so I did nothing."
	SayNotAsked       = "I have not asked you anything."
	SayOneThing       = "One thing at a time, so please ask me for the other again later."
	SayNobodyToRecord = "A voice message is spoken: ask me for it aloud."
	SayNobodyToAsk    = "That was not done: somebody has to agree to it first, and there is nobody to ask now."

	SayNotUnderstood = "Sorry, I did not understand that."
	SayEarsGone      = "Sorry, my speech recognition is not working."
	SayBrokeOff      = "I lost the connection there, so that was not all of it."
	SayNoCloud       = "That wake word is for the cloud, and I am not connected to it."
	SayNoThinker     = "I can't answer that without my thinker. Timers, lists and the clock still work."
)
