// Package news holds the tools news_headlines and news_story: headlines by topic
// out of RSS and Atom feeds, or of NewsAPI when there is a key. All of it is
// foreign text. Each call runs a goroutine per feed and waits for them. It
// imports llm, tools, tools/fetch and tools/phrase only.
package news
