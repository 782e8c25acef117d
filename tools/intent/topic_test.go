package intent

import "testing"

// It is about what the last turn was about, for every tool alike; and what nobody spoke of is not "it".
func TestItMeansWhatWasSpokenOfLast(t *testing.T) {
	english, german := newMatcher(t), newGerman(t)
	for _, c := range []struct {
		m                 *Matcher
		topic, text, want string
	}{
		{english, "", "cancel it", "speaker_stop {}"},
		{english, "", "make it twelve", `home_control {"action":"set","name":"it","value":12}`},
		{english, "", "turn it up", `volume_set {"step":10}`},
		{english, "timer_left", "cancel it", `timer_cancel {"label":"it"}`},
		{english, "timer_set", "actually make it twelve", `timer_change {"duration_s":720,"label":"it"}`},
		{english, "timer_set", "turn it off", `timer_cancel {"label":"it"}`},
		{english, "timer_set", "stop it", "speaker_stop {}"},
		{english, "alarm_set", "make it half past seven", `alarm_change {"label":"it","new_time":"07:30?"}`},
		{english, "alarm_list", "cancel that one", `alarm_cancel {"label":"it"}`},
		{english, "reminder_list", "cancel it", `reminder_cancel {"text":"it"}`},
		{english, "list_show", "clear it", `list_clear {"list":"it"}`},
		{english, "home_control", "make it twelve", `home_control {"action":"set","name":"it","value":12}`},
		{english, "home_control", "turn it up", `home_control {"action":"raise","name":"it"}`},
		{english, "volume_set", "turn it down", `volume_set {"step":-10}`},
		{english, "", "too loud", `volume_set {"step":-10}`},
		{english, "home_control", "still too loud", `home_control {"action":"lower","property":"volume"}`},
		{english, "home_control", "a bit louder", `home_control {"action":"raise","property":"volume"}`},
		{english, "", "send him home", ` `},
		{english, "home_control", "send him home", `home_control {"action":"dock","name":"it"}`},
		{english, "", "close it", `confirm {"yes":true}`},
		{english, "confirm", "open it", `confirm {"yes":true}`},
		{english, "home_read", "ok close it", `home_control {"action":"close","name":"it"}`},
		{english, "home_read", "shut it then", `home_control {"action":"close","name":"it"}`},
		{english, "home_control", "lock it please", `home_control {"action":"lock","name":"it"}`},
		{english, "home_control", "is it locked", `home_read {"is":"locked","name":"it"}`},
		{english, "home_control", "off again", `home_control {"action":"off","name":"it"}`},
		{english, "home_control", "off it", `home_control {"action":"off","name":"it"}`},
		{english, "home_control", "mute it", `home_control {"action":"set","name":"it","property":"volume","value":"mute"}`},
		{english, "home_control", "a bit more", `home_control {"action":"again"}`},
		{english, "home_control", "and the lights in the kitchen", `home_control {"action":"again","area":"kitchen","name":"lights"}`},
		{english, "home_read", "what about the bedroom", `home_control {"action":"again","area":"bedroom"}`},
		{english, "home_control", "turn off the other one", `home_control {"action":"off","name":"other"}`},
		{english, "home_control", "bit more", `home_control {"action":"again"}`},
		{english, "alarm_set", "and also at twenty to seven", `alarm_set {"again":true,"time":"06:40?"}`},
		{english, "alarm_set", "another one at quarter past", `alarm_set {"again":true,"minute":15}`},
		{english, "alarm_set", "make that twenty to", `alarm_change {"label":"it","new_minute":40}`},
		{english, "alarm_list", "delete the first one", `alarm_cancel {"label":"first"}`},
		{english, "timer_set", "delete the first one", `timer_cancel {"label":"first"}`},
		{english, "alarm_set", "at what time does it ring", "alarm_list {}"},
		{english, "list_add", "not bread but butter", `list_add {"instead":["bread"],"items":["butter"],"list":"it"}`},
		{english, "", "not bread but butter", " "},
		{english, "list_add", "i meant almond milk", `list_add {"instead":"it","items":["almond milk"],"list":"it"}`},
		{english, "timer_set", "a bit more", " "},
		{english, "", "and the lights in the kitchen", `home_control {"action":"on","area":"kitchen","name":"lights"}`},
		{english, "timer_set", "no five minutes", `timer_change {"duration_s":300}`},
		{english, "alarm_set", "no eight", `alarm_change {"label":"it","new_time":"08:00?"}`},
		{english, "", "no eight", " "},
		{english, "list_show", "anything else", "list_show {}"},
		{english, "timer_set", "off again", " "},
		{english, "weather_forecast", "and tomorrow", `weather_forecast {"day":"tomorrow"}`},
		{english, "list_show", "and tomorrow", " "},
		{english, "media_play", "turn it off", `home_control {"action":"off","name":"it"}`},
		{english, "timer_set", "remind me at nine that it's bin day", `reminder_set {"text":"that it is bin day","time":"09:00?"}`},
		{german, "timer_set", "mach zwölf draus", `timer_change {"duration_s":720}`},
		{german, "list_add", "und Eier und Butter", `list_add {"items":["Eier","Butter"],"list":"it"}`},
		{german, "list_add", "was steht jetzt drauf", "list_show {\"list\":\"it\"}"},
		{german, "timer_set", "was ist drauf", " "},
		{german, "weather_forecast", "und morgen", `weather_forecast {"day":"tomorrow"}`},
		{german, "home_control", "verlänger ihn um zwei Minuten", `timer_change {"add_s":120,"label":"it"}`},
	} {
		got, _ := c.m.MatchAbout(c.topic, c.text)
		if s := got.Call.Name + " " + string(got.Call.Arguments); s != c.want {
			t.Errorf("after %q, %q: %s, want %s", c.topic, c.text, s, c.want)
		}
	}
}
