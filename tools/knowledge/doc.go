// Package knowledge is the knowledge base: a folder of Markdown, text and PDF files that are
// cut into passages and indexed, and the tool knowledge_search, which says what they say
// and in which file.
//
// Run is one goroutine that scans the folder regularly. PDFs are read by pdftotext, a
// separate process with bounds on time and output, because PDF readers are easy to attack.
// Nothing outside the folder is read: links are not followed. What files say is foreign
// text. The package imports llm, llm/proc, tools, tools/fetch and tools/phrase only.
package knowledge
