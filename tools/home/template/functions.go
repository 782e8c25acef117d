package template

import (
	"errors"
	"time"
)

// functions are called by name.
var functions = map[string]fn{
	"abs": filters["abs"], "average": average, "bool": boolean, "float": float, "iif": iif, "int": toInt,
	"is_number": whether(isNumber), "max": extreme(">"), "min": extreme("<"), "round": round,
	"as_timestamp": asTimestamp,
	"now":          func(*state, arguments) (any, error) { return time.Now().Format(isoLocal), nil },
	"utcnow":       func(*state, arguments) (any, error) { return time.Now().UTC().Format(isoLocal), nil },
	"range":        numbers,
	"dict":         fromPairs, "namespace": namespace, "zip": zip,
}

func numbers(_ *state, a arguments) (any, error) {
	from, to := 0, a.whole(0, "", 0)
	if len(a.list) > 1 {
		from, to = to, a.whole(1, "", 0)
	}
	step := a.whole(2, "", 1)
	if step == 0 {
		return nil, errors.New("a step of 0 leads nowhere")
	}
	var out []any
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		if len(out) == maxSteps {
			return nil, errTooLong
		}
		out = append(out, i)
	}
	return out, nil
}
