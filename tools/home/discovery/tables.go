package discovery

import (
	_ "embed"
	"strings"
)

//go:embed tables.txt
var tablesText string

// tables are those of tables.txt, each by its first word.
var tables = readTables(tablesText)

func readTables(text string) map[string]map[string][]string {
	all := map[string]map[string][]string{}
	var table map[string][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		words := strings.Fields(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			table = map[string][]string{}
			all[strings.Trim(line, "[]")] = table
		default:
			table[words[0]] = words[1:]
		}
	}
	return all
}

// lengthen replaces abbreviated keys of an object.
func lengthen(m map[string]any, table string) map[string]any {
	out := make(map[string]any, len(m))
	for k, v := range m {
		if long := tables[table][k]; long != nil {
			k = long[0]
		}
		out[k] = v
	}
	return out
}
