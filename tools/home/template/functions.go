package template

import (
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
	if to-from > maxSteps {
		return nil, errTooLong
	}
	var out []any
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out, nil
}
