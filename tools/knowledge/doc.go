// Package knowledge is the knowledge base: a folder of Markdown, text and PDF that
// is cut into passages, indexed, and kept up to date, and the tool
// knowledge_search that tells what stands in them and in which file.
//
// Run is one goroutine that looks at the folder now and then. PDFs are read by
// pdftotext, a program of its own with bounds on time and output, since the format
// invites attacks on whoever reads it. Nothing outside the folder is read: links
// are not followed. What files say is foreign text. The package imports llm,
// llm/proc, tools and tools/fetch only.
package knowledge
