package speechapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"
)

func TestRequestsGoToNoOtherServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the other server was asked")
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		config, err := Config(Options{BaseURL: server.URL, Key: "k3y", MaxBody: 10})
		if err != nil {
			t.Fatal(err)
		}
		_, err = openai.NewClientWithConfig(config).CreateSpeech(t.Context(), openai.CreateSpeechRequest{Input: "x"})
		if err == nil {
			t.Errorf("status %d was followed", status)
		}
		server.Close()
	}
}

func TestErrorKeepsSecretsAndLongStoriesOut(t *testing.T) {
	long := strings.Repeat("é", maxMessage)
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&openai.APIError{HTTPStatusCode: 401, Message: "bad key abc"}, "speech server refuses the key (status 401)"},
		{&openai.APIError{HTTPStatusCode: 400, Message: "cannot say 'buy milk'"}, "speech server answers status 400"},
		{&openai.APIError{HTTPStatusCode: 503, Message: "busy\nnow"}, "speech server answers status 503: busy now"},
		{&openai.APIError{HTTPStatusCode: 500, Message: long}, "speech server answers status 500: " +
			long[:maxMessage]},
		{&openai.RequestError{HTTPStatusCode: 502, Body: []byte("buy milk"), Err: errors.New("buy milk")},
			"speech server answers status 502"},
	} {
		if got := Error(t.Context(), tc.err, "", "k3y", "buy milk").Error(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Error(ctx, errors.New("x"), "m"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
