// Package recall is the memory as a household uses it. Recollection finds what helps with a
// request, keeps notes and answers, and tidies the store on the goroutine of its Run. Owner
// is what the tools tell, note and forget for a person, Profile what people told about
// themselves, and Archive all of it for the control API. The caller owns the store.
package recall
