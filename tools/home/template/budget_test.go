package template

import (
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"testing"
)

// long is the message of the hostile templates: longer than any that a device sends.
var long = strings.Repeat("a", 60000)

// listOf is a JSON list of n small lists: the message of those that need values.
func listOf(n int) string {
	return `{"l":[` + strings.TrimSuffix(strings.Repeat(`["abc",1],`, n), ",") + `],"t":"` + strings.Repeat("b", 20000) + `"}`
}

// hostile are templates that ask for more work or memory than there is: each of the
// ways in which a small template can make a processor busy.
var hostile = map[string]string{
	"text times number":           "{{ 'x' * 1000000000 }}",
	"text times a huge number":    "{{ 'xxxxxxxx' * 9223372036854775807 }}",
	"text times 2^32":             "{{ value * 131072 }}",
	"text and text":               "{{ value ~ value ~ value ~ value ~ value ~ value ~ value ~ value ~ value ~ value ~ value }}",
	"text doubled":                "{% set x = 'ab' %}" + strings.Repeat("{% set x = x ~ x %}", 60) + "{{ x }}",
	"text doubled in a namespace": "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
	"loops in loops":              "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
	"loop with a condition":       "{% for a in range(9999) if value in value and value in value %}{% endfor %}",
	"loop with many variables":    manyVariables() + "{% for a in range(9999) %}{% endfor %}",
	"range":                       "{{ range(100000000) }}",
	"range backwards":             "{{ range(9223372036854775807, -9223372036854775807, -1) }}",
	"lists compared":              doubled(30) + "{{ x == y }}",
	"lists not equal":             doubled(30) + "{{ x != y }}",
	"lists searched":              doubled(30) + "{{ x in [1, y, y] }}",
	"lists made unique":           doubled(30) + "{{ [x, y, x, y] | unique }}",
	"dictionaries compared":       doubledBy(30, "{1: x, 2: x}") + "{{ x == y }}",
	"equal by a test":             doubled(30) + "{{ x is eq(y) }}",
	"equal by reject":             doubled(30) + "{{ [x, x] | reject('eq', y) | list }}",
	"list as text":                doubled(38) + "{{ x | string }}",
	"list as JSON":                doubled(38) + "{{ x | to_json }}",
	"message as JSON, often":      "{% set x = [value_json, value_json, value_json, value_json] %}{% set x = [x, x, x, x] %}{{ [x, x, x, x, x, x, x, x, x] | to_json }}",
	"formatted often":             "{{ (value | replace('a', '%%')) | format(1) }}{% for i in range(99) %}{% set x = value | replace('a', '%%') | format(1) %}{% endfor %}",
	"message as text, often":      "{% for i in range(1000) %}{% set x = value_json | string %}{% endfor %}",
	"lists joined":                "{% set ns = namespace(x=[1, 2]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
	"unique numbers":              "{{ range(9000) | unique | list }}",
	"sorted":                      "{% for i in range(1000) %}{% set x = value | list | sort %}{% endfor %}",
	"sorted long texts":           "{% for i in range(1000) %}{% set x = [value ~ 'b', value ~ 'a', value ~ 'c', value ~ 'd', value] | sort %}{% endfor %}",
	"sorted keys":                 "{% for i in range(9999) %}{% set x = value_json | dictsort %}{% endfor %}",
	"compared long texts":         "{% for i in range(9999) %}{% set x = (value ~ 'a') == (value ~ 'b') %}{% endfor %}",
	"long texts in order":         "{% set a = value ~ 'a' %}{% set b = value ~ 'b' %}{% for i in range(9999) %}{% set x = a < b %}{% endfor %}",
	"searched texts":              "{% for i in range(9999) %}{% set x = 'ab' in value %}{% endfor %}",
	"found in texts":              "{% for i in range(9999) %}{% set x = value.find('ab') %}{% endfor %}",
	"texts as keys":               "{% set d = {value: 1} %}{% for i in range(9999) %}{% set x = d[value] %}{% endfor %}",
	"missing keys":                "{% for i in range(9999) %}{% set x = value_json.get(value, 1) %}{% endfor %}",
	"dictionaries made":           "{% for i in range(9999) %}{% set x = dict(zip(value, value)) %}{% endfor %}",
	"dictionary literals":         "{% for i in range(9999) %}{% set x = {" + strings.Repeat("i:1,", 900) + "} %}{% endfor %}",
	"conditions in a row":         "{% for i in range(9999) %}{% set x = " + strings.Repeat("0 or ", 700) + "0 %}{% endfor %}",
	"many arguments":              "{{ range(9999) | map('max', " + strings.Repeat("1,", 1500) + "1) | list }}",
	"many numbers":                "{% for i in range(9999) %}{% set x = [" + strings.Repeat("1,", 1800) + "] %}{% endfor %}",
	"many signs":                  "{% for i in range(9999) %}{% set x = 1" + strings.Repeat("+1", 1800) + " %}{% endfor %}",
	"one slow pattern":            `{{ value | regex_search('(a+a+)+y(.*)*(a|b|ab)*(.{0,8}c){8}') }}`,
	"a large pattern":             `{{ value | regex_search('` + strings.Repeat("(a?){9}", 8) + `') }}`,
	"classes of letters":          `{% for i in range(9999) %}{% set x = 'a' | regex_search('` + strings.Repeat(`\\pL`, 40) + `', true) %}{% endfor %}`,
	"ranges of letters":           "{% for i in range(99) %}{% set x = 'a' | regex_search('" + strings.Repeat("[A-\U0001E943]", 13) + "', true) %}{% endfor %}",
	"ranges of letters, written":  `{% for i in range(99) %}{% set x = 'a' | regex_search('(?i)` + strings.Repeat(`[A-\\x{1E943}]`, 13) + `') %}{% endfor %}`,
	"many patterns":               `{% for i in range(2000) %}{% set x = value | regex_search('(a*)*b') %}{% endfor %}`,
	"many small patterns":         `{% for i in range(200000) %}{% set x = '' | regex_match('a|b|c|d') %}{% endfor %}`,
	"a pattern found everywhere":  `{{ value | regex_findall('a.*b|a') }}{{ value | regex_findall('a.*c|a') }}`,
	"a pattern with groups":       `{{ value | regex_findall('(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)(.*b)?') }}`,
	"a pattern as a test":         `{{ (value | list) | select('match', '(a|b|c)*d') | list }}`,
	"replaced by a pattern":       "{{ value | regex_replace('a', value) }}",
	"replaced by groups":          `{{ value | regex_replace('(a+)', '` + strings.Repeat(`\\1`, 800) + `') }}`,
	"replaced slowly":             `{{ value | regex_replace('a.*b|a', '') }}`,
	"replaced":                    "{{ value | replace('', value) }}",
	"replaced and grown":          "{% set ns = namespace(x='aa') %}{% for i in range(99) %}{% set ns.x = ns.x | replace('a', 'aaaa') %}{% endfor %}",
	"nothing is replaced":         "{% for i in range(9999) %}{% set x = value | replace('b', 'c') %}{% endfor %}",
	"joined":                      "{{ value.split('a') | join(value) }}",
	"joined by map":               "{{ range(9999) | map('string') | map('replace', '1', value) | join }}",
	"split":                       "{% for i in range(9999) %}{% set x = value.split('a') %}{% endfor %}",
	"split by spaces":             "{% for i in range(9999) %}{% set x = (value | replace('a', ' a')).split() %}{% endfor %}",
	"listed":                      "{% for i in range(9999) %}{% set x = value | list %}{% endfor %}",
	"counted":                     "{% for i in range(9999) %}{% set x = value | length %}{% endfor %}",
	"reversed":                    "{% for i in range(9999) %}{% set x = value | reverse %}{% endfor %}",
	"sliced":                      "{% for i in range(9999) %}{% set x = value[1:] %}{% endfor %}",
	"indexed":                     "{% for i in range(9999) %}{% set x = value[-1] %}{% endfor %}",
	"in capitals":                 "{% for i in range(9999) %}{% set x = value | upper | title | capitalize %}{% endfor %}",
	"truncated":                   "{% for i in range(9999) %}{% set x = value | truncate(59000) %}{% endfor %}",
	"stripped of a long set":      "{{ (value ~ 'é').strip('é' ~ value) }}" + strings.Repeat("{{ (value ~ 'é').strip('é' ~ value) }}", 30),
	"stripped":                    "{% for i in range(9999) %}{% set x = (value ~ 'b').strip('a') %}{% endfor %}",
	"padded":                      "{{ 'x'.zfill(100000000) }}",
	"padded by 2^63":              "{{ 'x'.zfill(9223372036854775807) }}",
	"formatted":                   "{% for i in range(9999) %}{% set x = '%99.99f%99.99f%99.99f' % (1e308, 1e-308, 1e307) %}{% endfor %}",
	"formatted long":              "{% for i in range(9999) %}{% set x = '%s%s%s' % (value, value, value) %}{% endfor %}",
	"numbers as text":             "{% for i in range(9999) %}{% set x = 1.7976931348623157e308 ~ 5e-324 ~ 123456789.123456 %}{% endfor %}",
	"numbers read":                "{% for i in range(9999) %}{% set x = '" + strings.Repeat("8", 399) + "e-300' | float(0) %}{% endfor %}",
	"whole numbers read":          "{% for i in range(9999) %}{% set x = '" + strings.Repeat("0", 300) + "1' | int(0) %}{% endfor %}",
	"long numbers read":           "{% for i in range(9999) %}{% set x = value | int(0) %}{% set x = value | float(0) %}{% endfor %}",
	"powers":                      "{% for i in range(9999) %}{% set x = 1.0000001 ** 9999999 ** 0.5 %}{% endfor %}",
	"rounded":                     "{% for i in range(9999) %}{% set x = 1.7976931348623157e308 | round(12) %}{% endfor %}",
	"times read":                  "{% for i in range(9999) %}{% set x = '2026-01-01T00:00:00.123456+00:00' | as_timestamp %}{% endfor %}",
	"times written":               "{% for i in range(9999) %}{% set x = i | timestamp_custom('" + strings.Repeat("%A", 40) + "') %}{% endfor %}",
	"now":                         "{% for i in range(9999) %}{% set x = now().strftime('%Y-%m-%d %H:%M:%S') %}{% endfor %}",
	"JSON read":                   "{% for i in range(9999) %}{% set x = value | from_json(1) %}{% set x = '[' ~ value | replace('a', '1,') ~ '1]' %}{% set x = x | from_json %}{% endfor %}",
	"JSON of brackets":            "{% for i in range(9999) %}{% set x = value | replace('a', '[]') | from_json(1) %}{% endfor %}",
	"JSON written":                "{% for i in range(9999) %}{% set x = value_json | to_json %}{% endfor %}",
	"base64":                      "{% for i in range(9999) %}{% set x = value | base64_decode %}{% endfor %}",
	"attributes":                  "{{ range(9999) | map(attribute='" + strings.Repeat("a.", 1500) + "a') | list }}",
	"attributes of a long path":   "{% set p = value | replace('a', '.') %}{{ range(9999) | map(attribute=p) | list }}",
	"pairs":                       "{% for i in range(9999) %}{% set x = zip(value, value, value, value) %}{% endfor %}",
	"items":                       "{% for i in range(9999) %}{% set x = value_json.items() %}{% set x = value_json.values() %}{% endfor %}",
	"sums":                        "{% for i in range(9999) %}{% set x = range(9999) | sum %}{% set x = range(9999) | max %}{% endfor %}",
	"bits":                        "{% for i in range(9999) %}{% set x = i | bitwise_and(255) | bitwise_or(3) %}{% endfor %}",
	"texts that are too long":     "{{ value }}{{ value }}{{ value }}",
}

// doubled makes x and y, which are alike and have 2^n elements without being large.
func doubled(n int) string { return doubledBy(n, "[x, x]") }

func doubledBy(n int, by string) string {
	both := "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(" + fmt.Sprint(n) + ") %}"
	for _, v := range []string{"x", "y"} {
		both += "{% set ns." + v + " = " + strings.ReplaceAll(by, "x", "ns."+v) + " %}"
	}
	return both + "{% endfor %}{% set x = ns.x %}{% set y = ns.y %}"
}

func manyVariables() string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "{%% set v%d=1 %%}", i)
	}
	return b.String()
}

// mostMemory is what one evaluation may allocate in all, in bytes: what the budget pays
// for, by the dearest of its prices, and the machine of a regular expression.
const mostMemory = 32 << 20

// allocated tells how many bytes were allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestHostileTemplatesEndInTheirBudget(t *testing.T) {
	for name, source := range hostile {
		t.Run(name, func(t *testing.T) {
			tmpl, err := Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, payload := range []string{long, listOf(3000)} {
				vars := map[string]any{"value": payload}
				if m := Read(payload); m.is {
					vars["value_json"] = m.json
				}
				before := allocated()
				out, spent, err := tmpl.run(vars)
				if took := allocated() - before; took > mostMemory {
					t.Errorf("it allocated %d bytes", took)
				}
				if spent > Budget || errors.Is(err, ErrPanic) {
					t.Errorf("it spent %d, %v", spent, err)
				}
				if errors.Is(err, ErrBudget) {
					return
				}
				t.Logf("%d bytes of %.30q: %d units, %v, %d bytes", len(payload), payload, spent, err, len(out))
			}
			t.Error("it never met its budget")
		})
	}
}

// What real devices publish needs a small part of the budget, also with a large message.
func TestHonestTemplatesAreFarFromTheBudget(t *testing.T) {
	message := `{"action":"single_left","t":1700000000,"s":"` + strings.Repeat("x", 4000) + `","l":[` + strings.Repeat(`{"n":1,"v":2.5},`, 200) + `{"n":2}]}`
	for _, source := range []string{
		"{{ value_json | to_json }}",
		"{{ value_json.l | selectattr('n', 'eq', 2) | list | length }}",
		"{% set ns = namespace(n=0) %}{% for e in value_json.l %}{% set ns.n = ns.n + e.v | default(0) %}{% endfor %}{{ ns.n | round(1) }}",
		"{{ value_json.action | regex_replace('_(left|right)$', '') }}{{ value_json.s | regex_search('y+z') }}",
		"{{ value | regex_findall('\"t\":([0-9]+)') }}",
		"{{ value_json.t | timestamp_custom('%Y-%m-%d') }}{{ now().strftime('%H') }}",
		`{% set patterns = [{"pattern": '^(?P<button>(?:button_)?[a-z0-9]+)_(?P<action>(?:press|hold)(?:_release)?)$', "groups": ["button", "action"]},` +
			`{"pattern": '^(?P<action>[a-z]+)_(?P<button>[a-z]+)$', "groups": ["action", "button"]}] %}{% set ns = namespace(r=[('action', '')]) %}` +
			`{% for p in patterns %}{% set m = value_json.action | regex_findall(p.pattern) %}{% if m[0] is undefined %}{% continue %}{% endif %}` +
			`{% for key, value in zip(m[0], p.groups) %}{% set ns.r = ns.r | rejectattr(0, 'eq', value) | list + [(value, key)] %}{% endfor %}{% endfor %}{{ dict.from_keys(ns.r) | to_json }}`,
	} {
		tmpl, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		m := Read(message)
		out, spent, err := tmpl.run(map[string]any{"value": m.text, "value_json": m.json})
		if err != nil || out == "" || spent > Budget/2 {
			t.Errorf("%s spends %d: %.40q, %v", source, spent, out, err)
		}
	}
}

func TestMistakesOfTemplatesAreErrors(t *testing.T) {
	for _, source := range []string{
		"{% set ns = namespace() %}{% set ns.me = ns %}{{ ns.me.me }}{{ ns | to_json }}",
		"{% set ns = namespace() %}{% set ns.me = [ns] %}{{ ns.me | to_json }}",
		"{% set ns = namespace(x=[1]) %}{% for i in range(200) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x == [ns.x] or ns.x | string }}",
		"{% continue %}", "{% for a, b in [1] %}{% endfor %}", "{% set value.x = 1 %}", "{{ [1] | map('nothing') }}", "{{ [1] | select('nothing') }}",
		"{{ '%99999999d' % 1 }}", "{{ 1 % 0 }}", "{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 'a' | regex_search('(') }}", "{{ 'a' | regex_search('(a{900}){2}') }}",
		"{{ format() }}", "{{ dict.from_keys() }}", "{{ now() - 1 }}", "{{ timedelta(days=1e300) }}", "{{ strptime('x', '%Y') }}", "{{ 'x'.strftime('%Y') }}",
	} {
		tmpl, err := Parse(source)
		if err != nil {
			continue
		}
		if out, err := tmpl.Value(Read("a")); err == nil && out != "{}" || errors.Is(err, ErrPanic) {
			t.Errorf("%.60s gives %q, %v", source, out, err)
		}
	}
	tmpl, err := Parse("{{ value }}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tmpl.Value(Read(strings.Repeat("a", MaxMessage+1))); err == nil {
		t.Error("a message that is too long is taken")
	}
}

func TestPanicOfAnEvaluationIsItsError(t *testing.T) {
	broken := Template{[]stmt{func(*state) error { panic("a mistake") }}}
	if _, err := broken.Value(Read("")); !errors.Is(err, ErrPanic) {
		t.Error(err)
	}
	if _, err := broken.Command(nil); !errors.Is(err, ErrPanic) {
		t.Error(err)
	}
}

// FuzzTemplate: nothing panics, no budget is overdrawn, and every byte that was
// allocated is paid for.
func FuzzTemplate(f *testing.F) {
	for _, s := range []string{
		"{{ value_json.a[0:2] | round(1) }}", "{% if a %}b{% elif c %}{% else %}d{% endif %}", "{{ {1:2}[x] ~ 'y' % (1,) }}",
		"{% set x = value_json %}{% for i in x %}{{ i }}{% endfor %}", "{{ a.b.c(1, d=2) is not defined }}", "{#-#}{{- 1 -}}",
		"{{ value | regex_findall_index('(a)', 1) }}", "{{ value_json | tojson }}", "{{ now() | as_timestamp | timestamp_custom('%Y') }}",
	} {
		f.Add(s, message)
	}
	for _, s := range hostile {
		f.Add(s, "["+strings.Repeat("1,", 2000)+"1]")
	}
	f.Fuzz(func(t *testing.T, source, payload string) {
		tmpl, err := Parse(source)
		if err != nil || len(payload) > MaxMessage {
			return
		}
		vars := map[string]any{"value": payload}
		if m := Read(payload); m.is {
			vars["value_json"] = m.json
		}
		before := allocated()
		out, spent, err := tmpl.run(vars)
		took := allocated() - before
		if errors.Is(err, ErrPanic) {
			t.Fatal(err)
		}
		if spent > Budget || len(out) > maxOut {
			t.Errorf("%d units were spent, %d bytes came out", spent, len(out))
		}
		if most := uint64(4*spent + 1<<20); took > most {
			t.Errorf("%d bytes were allocated for %d units: %.200s", took, spent, source)
		}
	})
}

// BenchmarkHostileTemplates says what a budget is worth in time: the slowest is to end
// within some 10 ms on a PC, so that a small board is done in 50.
func BenchmarkHostileTemplates(b *testing.B) {
	for name, source := range hostile {
		tmpl, err := Parse(source)
		if err != nil {
			b.Fatal(err)
		}
		for kind, payload := range map[string]string{"text": long, "JSON": listOf(3000)} {
			vars := map[string]any{"value": payload}
			if m := Read(payload); m.is {
				vars["value_json"] = m.json
			}
			b.Run(name+"/"+kind, func(b *testing.B) {
				var total int64
				for b.Loop() {
					_, spent, _ := tmpl.run(map[string]any{"value": payload, "value_json": vars["value_json"]})
					total += spent
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(total, 1)), "ns/unit")
			})
		}
	}
}
