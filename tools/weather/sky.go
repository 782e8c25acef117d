package weather

// sky are the weather codes of the service in words. They are from table 4677 of the WMO
// ("Weather variable documentation", open-meteo.com/en/docs).
var sky = map[int]string{
	0: "a clear sky", 1: "a mostly clear sky", 2: "some clouds", 3: "an overcast sky",
	45: "fog", 48: "freezing fog",
	51: "light drizzle", 53: "drizzle", 55: "heavy drizzle", 56: "light freezing drizzle", 57: "freezing drizzle",
	61: "light rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "freezing rain",
	71: "light snow", 73: "snow", 75: "heavy snow", 77: "snow grains",
	80: "light showers", 81: "showers", 82: "violent showers", 85: "light snow showers", 86: "heavy snow showers",
	95: "a thunderstorm", 96: "a thunderstorm with hail", 99: "a thunderstorm with heavy hail",
}

// skyOf is a code in words, or "" if it is not known.
func skyOf(code *int) string {
	if code == nil {
		return ""
	}
	return sky[*code]
}

// rains and snows tell what falls.
func rains(code *int) bool {
	return code != nil && (*code >= 51 && *code <= 67 || *code >= 80 && *code <= 82 || *code >= 95 && *code <= 99)
}

func snows(code *int) bool {
	return code != nil && (*code >= 71 && *code <= 77 || *code == 85 || *code == 86)
}
