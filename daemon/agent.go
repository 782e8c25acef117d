package daemon

import (
	"context"

	"hearthd/daemon/devices"
	"hearthd/tools"
	"hearthd/tools/home"
	"hearthd/tools/home/entrance"
	"hearthd/tools/home/hass"
)

// ownAgent is that of the house's Home Assistant. It would open a door without a question, so
// it gets no sentence that may ask for that.
type ownAgent struct {
	agent    *hass.Client
	ours     *devices.Devices
	its      *home.Home // the devices that the agent knows
	language string
}

func newOwnAgent(c *hass.Client, ours *devices.Devices, language string) (ownAgent, error) {
	its, err := home.New(home.Options{Devices: c, Marks: ours.Marks})
	return ownAgent{c, ours, its, language}, err
}

// Offer has the agent do or answer what text asks, unless it may open the house.
func (a ownAgent) Offer(ctx context.Context, text string) (tools.Result, bool, error) {
	if a.ours.NamesWayIn(text) || a.its.NamesWayIn(text) ||
		entrance.Asked(text+", everything") { // it opens what is named by no word: all the covers
		return tools.Result{}, false, nil
	}
	return a.agent.Offer(ctx, text, a.language)
}
