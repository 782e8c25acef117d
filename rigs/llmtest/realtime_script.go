package llmtest

// RealtimePhase is a place in a turn at which the connection can be lost.
type RealtimePhase int

// The phases, in their order.
const (
	RealtimeNever     RealtimePhase = iota
	RealtimeAtDial                  // the connection is refused
	RealtimeAtUpdate                // instead of session.updated
	RealtimeAtAudio                 // at the first audio of a person
	RealtimeAtCommit                // at the commit
	RealtimeAtCreate                // instead of response.created
	RealtimeAtCreated               // after response.created
	RealtimeAtSpeech                // after the first audio of the answer
	RealtimeAtDone                  // instead of response.done
)

// RealtimeGone is how a service says that it does not have the model.
type RealtimeGone int

// The ways.
const (
	RealtimeGoneNot    RealtimeGone = iota // it has it
	RealtimeGoneStatus                     // the connection is refused
	RealtimeGoneEvent                      // an error comes before session.created
	RealtimeGoneClose                      // the connection is closed
)

// RealtimeTurn is what a response answers.
type RealtimeTurn struct {
	N       int      // of the response, from 1
	Audio   int      // samples that were committed since the last response
	Texts   []string // what the person wrote since
	Outputs []string // of tools, since
	Aside   bool     // it stays out of the conversation
	Told    string   // instructions of the response
}

// RealtimeAnswer is what the server does for a response.
type RealtimeAnswer struct {
	Text    string // with as much audio: 50 ms for each letter
	Calls   []RealtimeCall
	Remote  bool                  // it runs a tool of an MCP server, and asks for another one
	Heard   string                // transcript of the person
	Unheard string                // the code with which it fails, instead
	Written map[string]any        // usage of the transcript; nil: a second
	Fail    string                // the code with which the response fails
	Refuse  string                // the code of an error event, instead of the response
	Lose    RealtimePhase         // from AtCreate on
	Late    bool                  // two more deltas after a cancellation
	Hold    <-chan struct{}       // before response.created, unless nil
	Halfway <-chan struct{}       // after the first delta, unless nil
	Close   <-chan struct{}       // before response.done, unless nil
	Paced   bool                  // audio comes as fast as it sounds; else at once
	Endless bool                  // response.done is not sent, though the response has ended
	Usage   RealtimeUsage         // zero: 100 in, 50 out
	OnDone  func(status string)   // is told the end, by the connection's goroutine
	Extra   []map[string]any      // events that the client does not know, before the answer
	Created func(response string) // is told the id, by the connection's goroutine
	Flood   bool                  // instead of the answer comes a message without end
	Bare    bool                  // ids of responses and items of calls are left out, as some servers do
}

// RealtimeCall is a call of a tool.
type RealtimeCall struct{ ID, Name, Arguments string }

// RealtimeUsage is counted in tokens.
type RealtimeUsage struct{ TextIn, AudioIn, TextOut, AudioOut int }
