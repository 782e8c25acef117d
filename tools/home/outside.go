package home

import (
	"hearthd/tools"
	"hearthd/tools/phrase"
)

// Outside tells what the thermometers of the house measure outside; ok is false where none does.
func Outside(devices Devices, book *phrase.Book) (r tools.Result, ok bool) {
	var found []Entity
	for _, e := range devices.Entities() {
		_, told := e.State[Main].(float64)
		if e.Kind == Sensor && e.Class == "temperature" && told && !e.Offline &&
			mentions(tokens(e.full()+" "+e.Area), lexicon["words"]["outside"]) {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return tools.Result{}, false
	}
	t := &teller{Book: book, said: map[string]bool{}}
	return t.tell(found, &arguments{What: "temperature"}, ""), true
}
