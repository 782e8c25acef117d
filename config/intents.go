package config

// Intents says which sentences are understood without a model.
type Intents struct {
	Language string `yaml:"language"` // "en", or a folder of Dir
	// Dir has a folder per language: its *.yaml extend the built-in sentences, or are
	// the whole of a language that is not built in.
	Dir string `yaml:"dir"`
}

const languageName = `^[a-z]{2,8}$`

func (i *Intents) check(k *checker) {
	k.match("tools.intents.language", i.Language, languageName, "must be small letters, such as en")
	k.filled("tools.intents.dir", i.Dir)
}
