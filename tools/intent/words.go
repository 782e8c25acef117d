package intent

import "hearthd/tools/intent/lang"

// requestWords are what people say around requests, and the words that make something one.
type requestWords struct {
	Before         lang.List           `yaml:"before"`
	After          lang.List           `yaml:"after"`
	BeforeTyped    lang.List           `yaml:"before_typed"`
	AfterTyped     lang.List           `yaml:"after_typed"`
	GoesOn         lang.Set            `yaml:"goes_on"`         // words that no request ends in
	So             lang.List           `yaml:"so"`              // a request follows, whatever came before
	But            lang.List           `yaml:"but"`             // joins an order of the opposite
	Reason         lang.List           `yaml:"reason"`          // no request follows
	ShortEnds      map[string]string   `yaml:"short_ends"`      // ends of words that may be words: 's: is
	Remark         lang.List           `yaml:"remark"`          // begins a remark beside a request
	Rather         lang.List           `yaml:"rather"`          // a number follows that is not meant: not eleven
	Tags           lang.List           `yaml:"tags"`            // end a remark that is to be agreed to: isn't it
	States         lang.Set            `yaml:"states"`          // verbs of a remark in front of a request
	Orders         lang.List           `yaml:"orders"`          // begins a request after a remark
	Closes         lang.Set            `yaml:"closes"`          // behind it the next order may begin: Licht aus Fernseher an
	May            lang.List           `yaml:"may"`             // behind what an order is about: "den Timer kannst löschen"
	NoOrder        lang.Set            `yaml:"no_order"`        // in front of an order, it makes it none: to, not
	NoPreface      lang.Set            `yaml:"no_preface"`      // in front of an order and a comma: it is reported, or depends
	People         lang.Set            `yaml:"people"`          // begin calls of somebody who is not the box
	Asks           lang.Set            `yaml:"asks"`            // begin questions
	Asking         lang.List           `yaml:"asking"`          // in front of an indirect question: tell me
	Whether        lang.Set            `yaml:"whether"`         // begin an indirect question without a word of its own: if
	Did            string              `yaml:"did"`             // makes a question of a clause: if I left it on
	Copulas        lang.Set            `yaml:"copulas"`         // verbs that stand first in a question: is
	Ones           lang.Set            `yaml:"ones"`            // stand for a name, behind what tells it from others
	Subjects       lang.Set            `yaml:"subjects"`        // begin remarks after a comma
	Persons        lang.Set            `yaml:"persons"`         // of subjects: behind an order they begin one whatever they do
	Relative       lang.Set            `yaml:"relative"`        // behind a name, of what says which are meant
	Binding        lang.Set            `yaml:"binding"`         // say something to a request, in a clause that is set apart
	Topics         []string            `yaml:"topics"`          // slot types of what a request is about
	Places         []string            `yaml:"places"`          // those of them that are places
	Placed         []string            `yaml:"placed"`          // those of them that stand in a place which a remark names
	There          lang.Set            `yaml:"there"`           // stand for a place that was named before
	Inside         string              `yaml:"inside"`          // joins a place to what is done there: in
	Pronouns       lang.Set            `yaml:"pronouns"`        // stand for what was named before
	It             lang.Set            `yaml:"it"`              // stand for what was spoken of last
	Unseen         lang.Set            `yaml:"unseen"`          // tools whose names begin so are about what is "it" only then
	AboutToo       map[string]string   `yaml:"about_too"`       // beginnings of names of tools: behind the first, "it" may be of the second
	Conditions     lang.List           `yaml:"conditions"`      // the same, where they begin
	Meant          lang.List           `yaml:"meant"`           // at the end, behind what is said instead: I mean
	Exchanges      []string            `yaml:"exchanges"`       // slot types of what is said instead, wherever the first stands
	Misheard       lang.Values[string] `yaml:"misheard"`        // sounds alike; tried where the sentence means nothing
	Gerunds        map[string]string   `yaml:"gerunds"`         // "would you mind turning": turn
	Wishes         lang.List           `yaml:"wishes"`          // in front of what is to be done with something: I want
	Musts          lang.List           `yaml:"musts"`           // behind what it is to be done with: should
	Being          lang.Set            `yaml:"being"`           // in front of a participle: be
	Participles    map[string]string   `yaml:"participles"`     // "I want the lamp taken down": take
	ParticipleEnds []string            `yaml:"participle_ends"` // what makes one of an order: turned
	Hesitations    lang.Set            `yaml:"hesitations"`
	Fronts         lang.Set            `yaml:"fronts"`   // begin what may stand in front of an order and belongs behind it
	Pointing       lang.List           `yaml:"pointing"` // left out like idle words
	Later          laterWords          `yaml:"later"`
	Keeps          []string            `yaml:"keeps"` // tools whose sentences no trigger may take over
}

// laterWords say how people order something for later, or for a while: "turn the light
// off in ten minutes".
type laterWords struct {
	Intent string            `yaml:"intent"` // gets the arguments of the request, and in_s, or time and day
	Asks   string            `yaml:"asks"`   // the intent of one with a day and no time; its texts may contain {order}
	Never  string            `yaml:"never"`  // the intent of a request that waits for what cannot be waited for
	Ends   string            `yaml:"ends"`   // the intent of one for a limited time that nothing ends; empty: there is none
	Of     lang.Set          `yaml:"of"`     // tools whose requests may be for later
	In     lang.List         `yaml:"in"`     // before the time that is left
	Wait   lang.List         `yaml:"wait"`   // before it, where the request follows: give me a minute and
	Hence  lang.List         `yaml:"hence"`  // after it: ten minutes from now
	At     lang.List         `yaml:"at"`     // among the words before a time, those with no meaning of their own
	Now    lang.List         `yaml:"now"`    // days that do not put anything off: today
	For    lang.List         `yaml:"for"`    // before how long something is to last
	Lasts  lang.List         `yaml:"lasts"`  // after how long, where nothing stands in front: (let it) ten minutes run
	Until  lang.List         `yaml:"until"`  // before when it is to end
	Undo   map[string]string `yaml:"undo"`   // from an action to the one that ends it
	What   []string          `yaml:"what"`   // the arguments that such an end takes over
	Events lang.List         `yaml:"events"` // what cannot be waited for: at sunset
	When   lang.List         `yaml:"when"`   // begins what cannot be waited for: when I get home
}
