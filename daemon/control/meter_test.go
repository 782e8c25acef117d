package control

import (
	"bufio"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"hearthd/daemon/api"
)

func TestMeterStreamsReadingsUntilNobodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		res, err := r.Get("http://hearthd/v1/meter")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		go func() {
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				if lines.Text() != "" {
					got = append(got, lines.Text())
				}
			}
		}()
		gain, late := float32(6), float32(71.5)
		r.meter <- api.Meter{At: 0.1, Level: -34.5, Quiet: -61, Peak: -20, Floor: -70, Wave: [][3]int8{{-20, 75, 1}},
			Speech: 0.75}
		r.meter <- api.Meter{At: 0.2, Level: -96, Quiet: -96, Peak: -96, Clipped: 3, Speaks: true, Held: true,
			Gain: &gain,
			Wake: map[string]float32{"hey hearth": 0.5}, Echo: &api.MeterEcho{Active: true, Suppression: 22,
				DelayMS: &late, DriftPPM: -20}}
		time.Sleep(streamBeat + time.Second)
		synctest.Wait()
		want := []string{
			": hearthd",
			`data: {"at_s":0.1,"level_dbfs":-34.5,"quiet_dbfs":-61,"peak_dbfs":-20,"floor_dbfs":-70,"clipped":0,"speech":0.75,"speaks":false,"held":false}`,
			`data: {"at_s":0.2,"level_dbfs":-96,"quiet_dbfs":-96,"peak_dbfs":-96,"floor_dbfs":0,"clipped":3,"speech":0,"speaks":true,"held":true,"gain_db":6,` +
				`"wake":{"hey hearth":0.5},"echo":{"active":true,"good":false,"suppression_db":22,"delay_ms":71.5,"drift_ppm":-20}}`,
			": ",
		}
		if len(got) != len(want) {
			t.Fatalf("lines %q", got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("line %d is\n%s, want\n%s", i, got[i], want[i])
			}
		}
		res.Body.Close()
		synctest.Wait()
		if told := r.speaker.told(); told != "meter ended" {
			t.Errorf("nobody looks, and %q", told)
		}
		r.stop()
	})
}

func TestMetersAndEventsShareThePlacesForStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := onPipes(t)
		for range maxStreams {
			res, err := r.Get("http://hearthd/v1/events")
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
		}
		if code, body := r.do(http.MethodGet, "/v1/meter", ""); code != 503 ||
			body != `{"error":"too many streams are open"}` {
			t.Errorf("one stream too many: %d %s", code, body)
		}
		r.stop()
	})
}
