// Package recall is the memory as a household uses it. Recollection finds what helps with a
// request, keeps notes and answers, and tidies the store on the goroutine of its Run. Owner is the
// memory for the tools with which a person tells, notes and forgets; Profile is what people told
// about themselves; Archive is all of it for the control API. The caller owns the store.
package recall
