package news

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"hearthd/tools/fetch"
)

// categories are NewsAPI's names of topics; others are searched for.
var categories = map[string]string{
	"": "general", "business": "business", "entertainment": "entertainment", "health": "health", "science": "science",
	"sport": "sports", "technology": "technology",
}

// api asks NewsAPI for the headlines of a topic.
func (n *news) api(ctx context.Context, topic string) ([]item, error) {
	path, q := "/everything", url.Values{"q": {topic}, "sortBy": {"publishedAt"}, "searchIn": {"title,description"}}
	if category, ok := categories[topic]; ok {
		path, q = "/top-headlines", url.Values{"category": {category}, "country": {cmp.Or(n.Country, "us")}}
	}
	q.Set("pageSize", "20")
	var body struct {
		Articles []struct {
			Source struct {
				Name string `json:"name"`
			} `json:"source"`
			Title       string    `json:"title"`
			Description string    `json:"description"`
			URL         string    `json:"url"`
			At          time.Time `json:"publishedAt"`
		} `json:"articles"`
	}
	err := n.Client.JSON(ctx, fetch.Request{
		URL: strings.TrimRight(n.APIURL, "/") + path + "?" + q.Encode(), KeyHeader: "X-Api-Key", Key: n.Key,
	}, &body)
	if err != nil {
		return nil, fetch.WithReason(err, "code", "message")
	}
	var items []item
	for _, a := range body.Articles[:min(len(body.Articles), maxItems)] {
		source := fetch.Plain(a.Source.Name, 60)
		// The title ends with the paper's name, and is "[Removed]" when the story was.
		title := strings.TrimSuffix(fetch.Plain(a.Title, maxTitle), " - "+source)
		if title == "" || title == "[Removed]" {
			continue
		}
		summary := fetch.Plain(a.Description, maxSummary)
		items = append(items, item{title, summary, link(a.URL), cmp.Or(source, "NewsAPI"), a.At})
	}
	return items, nil
}
