// Package weather holds the tools weather_forecast and weather_home: the weather of a place now, on
// a day or in a part of one, as Open-Meteo or the house's Home Assistant forecasts it, and where home is. It runs no
// goroutine and imports llm, tools, tools/fetch, tools/phrase and tools/when only; what is known of the home is asked
// of the daemon.
package weather
