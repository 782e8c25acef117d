package daemon

import (
	"context"

	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/entrance"
	"hearthd/tools/home/hass"
)

// ownAgent is that of the house's Home Assistant. It would open a door without a question, so
// it gets no sentence that may ask for that.
type ownAgent struct {
	agent    *hass.Client
	houses   []*home.Home // the devices that we know, and those that the agent knows
	language string
}

func newOwnAgent(v *devices) (ownAgent, error) {
	o := home.Options{Devices: v.agent}
	if v.entrances != nil {
		o.Marks = v.entrances.marks
	}
	its, err := home.New(o)
	return ownAgent{v.agent, []*home.Home{v.tool, its}, v.cfg.STT.Language}, err
}

// Offer has the agent do or answer what text asks, unless it may open the house.
func (a ownAgent) Offer(ctx context.Context, text string) (tools.Result, bool, error) {
	for _, h := range a.houses {
		if h.NamesWayIn(text) {
			return tools.Result{}, false, nil
		}
	}
	if entrance.Asked(text + ", everything") { // it opens what is named by no word: all the covers
		return tools.Result{}, false, nil
	}
	return a.agent.Offer(ctx, text, a.language)
}
