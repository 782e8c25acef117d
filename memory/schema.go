package memory

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
)

// object is an entry of the schema of a database.
type object struct{ kind, name, table, sql string }

// unexpected looks for what hearthd did not make: a trigger, a view or an index could run
// SQL of somebody else with each statement of ours. It reads the schema as text and runs
// nothing of it.
func unexpected(ctx context.Context, db *sql.DB, version int, migrations []string) error {
	newer := version > len(migrations)
	ours, err := made(ctx, migrations[:min(version, len(migrations))])
	if err != nil {
		return fmt.Errorf("make schema: %w", err)
	}
	found, err := schemaOf(ctx, db)
	if err != nil {
		return err
	}
	for name, o := range found {
		mine, ok := ours[name]
		switch {
		case ok && mine == o:
		case newer && o.later(mine):
		case !ok && o.statistics():
		default:
			return fmt.Errorf("%w: it holds the %s %.60q, which hearthd did not make", ErrAltered, o.kind, o.name)
		}
	}
	for name, o := range ours {
		if _, ok := found[name]; !ok {
			return fmt.Errorf("%w: it lacks the %s %q", ErrAltered, o.kind, o.name)
		}
	}
	return nil
}

// made is the schema that these migrations come to.
func made(ctx context.Context, migrations []string) (map[string]object, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, name := range migrations {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if _, err := db.ExecContext(ctx, string(text)); err != nil {
			return nil, fmt.Errorf("apply %q: %w", name, err)
		}
	}
	return schemaOf(ctx, db)
}

// maxObjects is far more than hearthd ever made.
const maxObjects = 500

func schemaOf(ctx context.Context, db *sql.DB) (map[string]object, error) {
	list, err := rowsOf(ctx, db, func(r *sql.Rows, o *object) error {
		return r.Scan(&o.kind, &o.name, &o.table, &o.sql)
	}, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema LIMIT ?", maxObjects+1)
	all := make(map[string]object)
	for _, o := range list {
		if _, twice := all[o.name]; twice || len(all) == maxObjects {
			return nil, fmt.Errorf("%w: %.60q stands twice in its schema, or that is too long", ErrAltered, o.name)
		}
		all[o.name] = o
	}
	return all, err
}

// statistics are what ANALYZE of a curious person leaves.
func (o object) statistics() bool {
	return o.kind == "table" && regexp.MustCompile(`^sqlite_stat[14]$`).MatchString(o.name)
}

// What a newer hearthd may have added that an older one can live with: see oldestReader.
var (
	plainTable = regexp.MustCompile(`(?i)^CREATE TABLE (\w+) \(`)
	plainIndex = regexp.MustCompile(`(?i)^CREATE (UNIQUE )?INDEX \w+ ON \w+ ?\(\w+( (ASC|DESC))?(, ?\w+( (ASC|DESC))?)*\)$`)
	runs       = regexp.MustCompile(`(?i)\b(CHECK|GENERATED|AS|VIRTUAL|REFERENCES|COLLATE)\b|DEFAULT\s*\(`)
)

// later reports whether o may be of a newer hearthd: a table that runs nothing, an index
// of columns, or a table of ours with columns behind its own.
func (o object) later(ours object) bool {
	if ours.sql == "" {
		switch o.kind {
		case "table":
			return plainTable.MatchString(o.sql) && !runs.MatchString(plainSQL(o.sql))
		case "index":
			return o.sql == "" && strings.HasPrefix(o.name, "sqlite_autoindex_") || plainIndex.MatchString(o.sql)
		}
		return false
	}
	// SQLite writes a column that is added behind the last one.
	head := strings.TrimRight(ours.sql, " \n)")
	return ours.kind == "table" && o.kind == "table" && plainTable.MatchString(ours.sql) &&
		strings.HasPrefix(o.sql, head+", ") && !runs.MatchString(plainSQL(o.sql[len(head):]))
}

// plainSQL is SQL without comments and without what stands in quotes.
func plainSQL(sql string) string {
	var b strings.Builder
	for sql != "" {
		open, end := 1, ""
		switch {
		case strings.HasPrefix(sql, "--"):
			end = "\n"
		case strings.HasPrefix(sql, "/*"):
			open, end = 2, "*/"
		case sql[0] == '[':
			end = "]"
		case sql[0] == '\'' || sql[0] == '"' || sql[0] == '`':
			end = sql[:1]
		}
		if end == "" {
			b.WriteByte(sql[0])
			sql = sql[1:]
			continue
		}
		_, sql, _ = strings.Cut(sql[open:], end)
		b.WriteByte(' ')
	}
	return b.String()
}
