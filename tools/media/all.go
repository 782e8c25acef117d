package media

import (
	"context"

	"hearthd/tools"
)

// The room that means all boxes, and what it is called for the box that has been told to play there.
const everywhere, relayed = "everywhere", "everywhere from here"

// onAll has something done by what plays on all boxes, here or at the box that can.
func (o *Options) onAll(ctx context.Context, room, tool string, told any,
	do func(*Options) (tools.Result, error)) (tools.Result, error) {
	switch {
	case o.All != nil:
		all := *o
		all.Player = o.All
		return do(&all)
	case o.AllAt != "" && room != relayed:
		r, _, err := o.There(ctx, o.AllAt, tool, told)
		return r, err
	}
	return tools.Result{Text: o.Book.Say("media.not_everywhere")}, nil
}
