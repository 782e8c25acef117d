package template

import (
	"errors"
	"math"
	"time"
)

// functions are called by name.
var functions = map[string]fn{
	"abs": filters["abs"], "average": average, "bool": boolean, "float": float, "iif": iif, "int": toInt,
	"is_number": isNumber, "max": extreme(">"), "min": extreme("<"), "round": round,
	"as_timestamp": asTimestamp,
	"now":          func(*state, arguments) (any, error) { return moment{time.Now()}, nil },
	"utcnow":       func(*state, arguments) (any, error) { return moment{time.Now().UTC()}, nil },
	"today_at":     todayAt, "as_datetime": asDatetime, "as_local": asLocal, "strptime": strptime, "timedelta": timedelta,
	"range": numbers,
	"dict":  fromPairs, "namespace": namespace, "zip": zip,
}

func numbers(s *state, a arguments) (any, error) {
	from, to := int64(0), a.whole(0, "", 0)
	if len(a.list) > 1 {
		from, to = to, a.whole(1, "", 0)
	}
	step := a.whole(2, "", 1)
	if step == 0 {
		return nil, errors.New("a step of 0 leads nowhere")
	}
	var out []any
	for i := from; step > 0 && i < to || step < 0 && i > to; {
		if err := s.items(1); err != nil {
			return nil, err
		}
		out = append(out, i)
		if step > 0 && i > math.MaxInt64-step || step < 0 && i < math.MinInt64-step {
			break
		}
		i += step
	}
	return out, nil
}
