package template

import (
	"strings"
	"testing"
)

const message = `{"a":"hi","b":{"c":3.14159},"x":null,"f":4.0,"big":1234567.5,"on":true,"off":false,"run":"heat",
"s":"x,y","l":[1,2],"i":1,"bri":127,"update":{"state":"available"},"temp":21.456,"n2":-7,"power":"ON","Shutter1":{"Position":40}}`

func TestTemplatesTakeValuesOutOfMessages(t *testing.T) {
	for source, want := range map[string]string{
		"{{ value_json.a }}": "hi", "{{ value_json['b']['c'] | round(1) }}": "3.1", "{{ value_json.b.c|round }}": "3",
		"{{ {'a':1,None:2}[value_json.x] | default('None') }}":                                       "2",
		"{{ {0:'off', 1:'low', 2:'medium'}[value_json.i] | default('') }}":                           "low",
		"{{ {0:'off', 1:'low'}[9] | default('') }}":                                                  "",
		"{{ {True:'ON',False:'OFF'}[value_json.on] }}":                                               "ON",
		"{{ value_json['update']['state'] == \"available\" }}":                                       "True",
		"{% if value_json.on %} true {% else %} false {% endif %}":                                   "true",
		"{% if value_json.off %}a{% elif value_json.i == 1 %}b{% else %}c{% endif %}":                "b",
		"{% set values = {None:None,'heat':'heating'} %}{{ values[value_json.run] }}":                "heating",
		"{% set values = {None:None,'heat':'heating'} %}{{ values[value_json.x] }}":                  "None",
		"{{ value_json.missing.deep }}":                                                              "",
		"{{ value_json.missing | default(7) }}":                                                      "7",
		"{{ value_json.f }} {{ value_json.big }} {{ value_json.x }} {{ value_json.i }}":              "4.0 1234567.5 None 1",
		"{{ ('a' if value_json.on else 'b') | upper }}":                                              "A",
		"{{ (value_json.f * 100) | int }}":                                                           "400",
		"{{ value_json.s.split(',')[1] }}{{ value_json.s[0:2] }}{{ value_json.s[-1] }}":              "yx,y",
		"{{ '%0.1f' | format(value_json.f) }}{{ '%02d:%02d' % (1, 5) }}":                             "4.001:05",
		"{{ 7 // 2 }} {{ 7 % 3 }} {{ 7/2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 3 }}":                 "3 1 3.5 -4 2 8",
		"{{ value_json.bri / 254 * 100 }}":                                                           "50.0",
		"{{ (value_json.bri / 2.55) | round(0) }}":                                                   "50",
		"{{ value_json.temp | float | round(2) }}":                                                   "21.46",
		"{{ iif(value_json.on, 'yes', 'no') }}{{ value_json.off | iif('y','n') }}":                   "yesn",
		"{{ value_json.a in ['hi', 'ho'] and 'x' not in value_json.a }}":                             "True",
		"{{ value_json.l | join('-') }} {{ value_json.l | length }} {{ value_json.l }}":              "1-2 2 [1, 2]",
		"{{ value_json | tojson | length > 10 }}":                                                    "True",
		"{{ '{\"k\": [1]}' | from_json }}":                                                           "{'k': [1]}",
		"{{ 0 | timestamp_custom('%Y-%m-%d', false) }}":                                              "1970-01-01",
		"{%- if value_json.Shutter1.Position > 0 -%} open {%- else -%} closed {%- endif -%}":         "open",
		"{{ value_json.x is none }} {{ value_json.q is defined }} {{ value_json.q is not defined }}": "True False True",
		"{% for k in value_json.l %}{{ k * 2 }},{% endfor %}":                                        "2,4,",
		"{{ value_json.a | default('x', true) | truncate(254, True, '', 0) }}":                       "hi",
		"{{ value_json.get('a', 'd') }}{{ value_json.get('q', 'd') }}":                               "hid",
		"{# a note #}{{ not value_json.off and value_json.i < 2 <= 2 }}":                             "True",
		"{{ value_json.power | lower == 'on' }}":                                                     "True",
		"{{ value | length > 10 }}":                                                                  "True",
		"{{ value_json.n2 | abs }} {{ [3,1,2] | max }} {{ min(3, 1) }}":                              "7 3 1",
		"{{ 'a1b2' | regex_replace('[0-9]', '') }} {{ 'abc' | regex_search('B', true) }}":            "ab True",
		"{ \"x\": {{ value_json.i + 1 }} }":                                                          `{ "x": 2 }`,
		"{% set m = {'b': 1, 'a': 2} %}{{ m.keys() | join }}{{ m.values() | list }}{% for k, v in m.items() %}{{ k }}{{ v }}{{ ',' if not loop.last }}{% endfor %}": "ba[1, 2]b1,a2",
		"{% set ns = namespace(n=0) %}{% for p in value_json.l if p > 1 %}{% set ns.n = ns.n + p %}{% set gone = 1 %}{% endfor %}{{ ns.n }}{{ gone is defined }}":   "2False",
		"{% for i in range(9) %}{% if i == 1 %}{% continue %}{% endif %}{% if i > 3 %}{% break %}{% endif %}{{ loop.index0 }}{% endfor %}":                          "023",
		"{% for i in [] %}x{% else %}none{% endfor %}":                                                                                "none",
		"{{ [{'n': 1, 'v': {'w': 5}}, {'n': 2}] | selectattr('n', 'eq', 1) | map(attribute='v.w') | first }}":                         "5",
		"{{ [1, 'x', 3] | select('number') | list }}{{ [0, 2] | reject | list }}{{ ['1', '2'] | map('int') | sum }}":                  "[1, 3][0]3",
		"{{ 'a_1-b_2' | regex_findall('([a-z])_([0-9])') }}{{ 'k1k2' | regex_findall('k.') }}":                                        "[['a', '1'], ['b', '2']]['k1', 'k2']",
		"{{ dict(zip(['a', 'b'], [1, 2])) | to_json }}{{ dict.from_keys([('x', 1)]) }}{{ dict(q=1).q }}":                              `{"a":1,"b":2}{'x': 1}1`,
		"{{ 3 is divisibleby 3 }}{{ value_json.i is eq 1 }}{{ '0xff' | int(base=16) }}{{ 'aGk=' | base64_decode }}":                   "TrueTrue255hi",
		"{{ strptime('2026-03-01 10:30', '%Y-%m-%d %H:%M').month }}{{ strptime('x', '%Y', none) }}":                                   "3None",
		"{{ (as_datetime('2026-01-02T00:00:00+00:00') - timedelta(hours=1)) | as_timestamp }}":                                        "1767308400.0",
		"{{ as_datetime('2026-01-02T03:04:05+00:00').strftime('%-H:%M %d.%m.%y %j %%') }}":                                            "3:04 02.01.26 002 %",
		"{{ (as_datetime('2026-01-02') - as_datetime('2026-01-01')).total_seconds() }}{{ now() > today_at('00:00') - timedelta(1) }}": "86400.0True",
		"{{ now().strftime('%Y') | length }}{{ now().year > 2000 }}{{ now().isoformat() | length > 20 }}{{ utcnow() == 1 }}":          "4TrueTrueFalse",
		"{{ 'a-b' | regex_replace('(a)-(b)', '\\\\2$\\\\1') }}{{ 'x' | regex_replace('x*', '-') }}":                                   "b$a-",
		"{{ 1700000000000 + 1 }} {{ '1700000000000' | int }} {{ '%d' % 1700000000000 }} {{ 4294967296 | bitwise_and(4294967296) }}":   "1700000000001 1700000000000 1700000000000 4294967296",
		"{{ {'a': [1]} == {'a': [1.0]} }}{{ value_json.b == {'c': 3.14159} }}{{ [1, 2] != [1] }}{{ 'a,b'.split(',', 1) }}":            "TrueTrueTrue['a', 'b']",
		"plain":             "plain",
		"{{ \"offline\" }}": "offline",
	} {
		tmpl, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := tmpl.Value(Read(message)); err != nil || got != want {
			t.Errorf("%s gives %q, %v; want %q", source, got, err, want)
		}
	}
}

// TestOperatorsBindAsInJinja: each as Jinja 3.1.2 gives it.
func TestOperatorsBindAsInJinja(t *testing.T) {
	for source, want := range map[string]string{
		"{{ 'on' if 0 < 25 < 10 else 'off' }}":                           "off",
		"{{ 1 < 2 < 3 }} {{ 3 > 2 > 2 }} {{ 1 == 1 != 2 }}":              "True False True",
		"{{ -5|abs }} {{ 2 * -5|abs }} {{ -2.5|round(0, 'floor') }}":     "5 10 -3",
		"{{ -2**2 }} {{ 2**-1 }}":                                        "4 0.5",
		"{{ 10 // 0.1 }} {{ 254 // 0.1 }} {{ 7 % -3 }} {{ -3 // -7.5 }}": "99.0 2539.0 -2 0.0",
		"{{ range(1, 10, 3) | list }} {{ range(5, 0, -2) | list }}":      "[1, 4, 7] [5, 3, 1]",
		"{{ '' is iterable }} {{ [] is iterable }} {{ 1 is iterable }}":  "True True False",
		"{{ 'a' is sequence }} {{ {} is sequence }}":                     "True True",
		"{{ -21.0|abs }} {{ -21|abs }}":                                  "21.0 21",
	} {
		tm, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := tm.Value(Read("")); err != nil || got != want {
			t.Errorf("%s: %q (%v), want %q", source, got, err, want)
		}
	}
	if tm, err := Parse("{{ range(1, 2, 0) | list }}"); err != nil {
		t.Error(err)
	} else if got, err := tm.Value(Read("")); err == nil {
		t.Errorf("a step of nothing: %q", got)
	}
}

func TestTemplatesMakeCommands(t *testing.T) {
	for source, want := range map[string]string{
		`{"position": {{ position }} }`:                                       `{"position": 30 }`,
		"{{ {0:'off', 1:'low', 2:'medium', 3:'high'}[value] | default('') }}": "low",
		"{{ '#%02x%02x%02x00' | format(red, green, blue) }}":                  "#ff800000",
		`{"state":"ON"{%- if brightness is defined -%}, "brightness": {{ brightness }}{%- endif -%}{%- if x is defined -%}, "x": 1{%- endif -%}}`: `{"state":"ON", "brightness": 128}`,
	} {
		tmpl, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		got, err := tmpl.Command(map[string]any{"position": 30, "value": 1, "red": 255, "green": 128, "blue": 0, "brightness": 128})
		if err != nil || got != want {
			t.Errorf("%s gives %q, %v; want %q", source, got, err, want)
		}
	}
}

func TestWhatATemplateMustNotDoIsRefusedByName(t *testing.T) {
	for source, want := range map[string]string{
		"{% include '/etc/passwd' %}":                   `statement "include"`,
		"{% import 'x' as y %}":                         `statement "import"`,
		"{% extends 'x' %}":                             `statement "extends"`,
		"{% macro m() %}{% endmacro %}":                 `statement "macro"`,
		"{{ states('sensor.x') }}":                      `function "states"`,
		"{{ [1] | mystery('x') }}":                      `filter "mystery"`,
		"{{ value | mystery }}":                         `filter "mystery"`,
		"{{ value is mysterious }}":                     `test "mysterious"`,
		"{{ value.__class__() }}":                       `method "__class__"`,
		"{{ 'a' ":                                       "unclosed {{",
		"{{ 'a }}":                                      "unclosed string",
		"{% if value %}":                                "endif is missing",
		"{{ 1 + }}":                                     "unexpected end",
		"{% endif %}":                                   "endif",
		"{{ value }} " + strings.Repeat("x", maxSource): "bytes are more than",
		"{{ " + strings.Repeat("(", 100) + "1 }}":       "nested deeper",
	} {
		if _, err := Parse(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", source, err, want)
		}
	}
}

func BenchmarkValue(b *testing.B) {
	tmpl, err := Parse("{{ value_json.b.c | round(1) }}")
	if err != nil {
		b.Fatal(err)
	}
	m := Read(message)
	for b.Loop() {
		if _, err := tmpl.Value(m); err != nil {
			b.Fatal(err)
		}
	}
}
