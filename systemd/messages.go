package systemd

// Message ids name the facts that journalctl -x explains. They go into the
// attribute message_id of the line that states the fact; hearthd.catalog holds a
// text for each and says what to do.
const (
	MessageReady       = "4827309b7f6949dd933c6933627eb665" // the daemon listens
	MessageStopping    = "c9cc4b8279ca4956a78aa5d89303b077" // the daemon ends
	MessageTurn        = "7a08a69dfaff4157af57f569c7ea82e7" // a turn is finished
	MessageMicrophone  = "71f0ca4ccc594b92becb6d620a84517d" // capture is lost
	MessageSpeaker     = "2f71630bdeb54fe9a352d71a75b45d3c" // playback is lost
	MessageBroker      = "a757c06869a44d4bb6166d4c0cd45503" // the MQTT broker is lost
	MessageAccess      = "ac8b7e08a3c74150a94270a9489e8904" // the MQTT broker refuses topics
	MessageThinker     = "f819101e6a814f17bf80670e1930fb05" // no model answers
	MessageSpeech      = "a0a2af86b3de4b7f8d29daa03446cfee" // a speech engine does not answer
	MessageMemory      = "4e4469a8662047a7a18d0f97912e1fd8" // the store cannot be written
	MessageTool        = "6f7a0fed409f415686c8810e236793cf" // a file of the household is left out
	MessageLevel       = "ac4b4d9dd8c94bb4b8ee38b2aeaf697c" // the microphone is silent or overdriven
	MessageResponder   = "3262b7c8647c4364a317a1348f7917a8" // the responder does not answer, or has cost enough
	MessageSecret      = "852239dae6324d8f818b9bcc8afa359e" // a key or password cannot be read
	MessageClock       = "4899ff3484874575962754205d84fdd1" // the time is not known
	MessageServer      = "b04c652a3ddd46eba857d87470292e13" // a server of tools is away
	MessageRestart     = "a4a18a01f2184c85ad260b6d7f06d936" // a change of the configuration waits for a restart
	MessageConsole     = "f9ae9750235d4a3b85dd2bb596ba4417" // the web console is not served
	MessageTrace       = "f63a02f70be144abab6c0f62800a74d3" // the collector of traces accepts none
	MessageLight       = "7e3470f91bab4ea6b4a077d4ed77f398" // a light cannot be set
	MessageCondition   = "278148d532f842baa95108c51dbb7176" // anything else that is wrong
	MessageRecovered   = "9c8ee00cee914100babdc5064ccc051a" // a condition is over
	MessageWatchdog    = "e25d073bf2da4ed584f3699622fa4a34" // no progress
	MessageTimerMissed = "a9eef0a89bef4ff99af55c25fc76634f" // a timer ended while the daemon was off
	MessageReloaded    = "84c90e117cd64b99bccf8b10d2fe53fb" // the configuration was reloaded
	MessageMistake     = "333dde763b07451486036337d98541be" // a reload found mistakes, which changed nothing
)
