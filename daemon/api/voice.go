package api

// Voice is a person who is known by their voice.
type Voice struct {
	Person string `json:"person"` // in memory.people
	Prints int    `json:"prints"`
	Model  string `json:"model"` // that made them
}

// Person is the body of POST /v1/voice/enroll and /v1/voice/remove.
type Person struct {
	Person string `json:"person"`
}
