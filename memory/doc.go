// Package memory is the store of hearthd: one SQLite file with timers, lists,
// settings and the newest turns, and the only SQL of the project.
//
// A method that changes something returns after its transaction is committed
// and synced (WAL, synchronous=FULL), so what is confirmed aloud afterwards
// survives kill -9 and power loss. There is one database connection, which
// makes every Store safe for use by several goroutines and every write the only
// one. The package starts no goroutine beyond those of database/sql, which
// Close ends.
//
// What a caller gives is bounded here, whatever it checked itself.
package memory
