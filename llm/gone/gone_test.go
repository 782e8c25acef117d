package gone

import (
	"errors"
	"testing"

	"hearthd/llm"
)

func TestServicesThatDoNotHaveAModelAreUnderstood(t *testing.T) {
	for _, c := range []struct {
		status      int
		code, words string
		successor   string
	}{
		{404, "model_not_found", "The model `talk-9` does not exist or you do not have access to it.", ""},
		{403, "model_not_found", "Project `proj_1` does not have access to model `talk-9`", ""},
		{0, "model_not_found", "", ""}, // an event of Realtime
		{410, "", "", ""},
		{404, "", "The model `talk-9` has been deprecated, learn more here: https://example.com/docs/deprecations", ""},
		{400, "model_decommissioned", "The model `talk-9` has been decommissioned and is no longer supported. Please " +
			"refer to https://x.example/docs for a recommendation on which model to use instead.", ""},
		{400, "", "talk-9 was shut down on 2027-01-20. Use `talk-9.1-mini` instead.", "talk-9.1-mini"},
		{404, "", "The model talk-9 is retired; we recommend migrating to vendor/talk-10:latest.",
			"vendor/talk-10:latest"},
		{404, "DeploymentNotFound", "The API deployment for this resource does not exist.", ""},
		{404, "not_found_error", "model: talk-9 not found", ""},
		{400, "deprecated", "", ""},
		{404, "", "The model talk-9 was retired; please try third-party models, e.g. those of your own.", ""},
		{404, "", "The model talk-9 was retired. The successor is talk-light.", "talk-light"},
		{404, "not_found_error", "model: talk-9", ""},
		{404, "", "models/talk-9 is not found for API version v1beta, or is not supported for generateContent. Call " +
			"ListModels to see the list of available models.", ""},
		{400, "", "talk-9 is not a valid model ID", ""},
		{404, "", "No endpoints found for talk-9.", ""},
		{400, "invalid_request_error", "Model Not Exist", ""},
		{400, "", "You tried to access talk-9, which has reached its end-of-life.", ""},
		{400, "", "Support for talk-9 was withdrawn. Please migrate to `talk-11`.", "talk-11"},
		{404, "resource_not_found_error", "Not found the model talk-9 or Permission denied", ""},
	} {
		err := FromRefusal("talk-9", Refusal{c.status, c.code, "", c.words})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, llm.ErrModel) || e.Model != "talk-9" || e.Successor != c.successor {
			t.Errorf("%d %q %q: %v, want one that names %q", c.status, c.code, c.words, err, c.successor)
		}
	}
}

func TestOtherRefusalsAreNotTakenForAMissingModel(t *testing.T) {
	for _, c := range []struct {
		status      int
		code, words string
	}{
		{404, "", "404 page not found"},
		{404, "not_found", ""},
		{401, "invalid_api_key", "Incorrect API key provided: sk-1234."},
		{429, "rate_limit_exceeded", "Rate limit reached for talk-9, the model is not available now."},
		{503, "", "The model talk-9 is not available, try again."},
		{400, "unsupported_parameter", "The parameter temperature is not supported with talk-9."},
		{400, "", "This model does not support tools."},
		{400, "invalid_value", "Voice anna is not supported for the model talk-9."},
		{400, "invalid_value", "Voice marin is not found."},
		{0, "session_expired", "Your session hit the maximum duration."},
		{402, "", "Insufficient balance; talk-9 is unavailable until you top up."},
		{401, "invalid_api_key", "No longer a valid key for the model talk-9."},
		{400, "", "Streaming is not supported for talk-9."},
		{400, "", "temperature is not supported for this model"},
		{400, "", "Image input is not available for `talk-9`."},
		{404, "", "Session of talk-9 not found."},
		{413, "", "Request too large for the model talk-9, not supported."},
		{403, "unsupported_country", "Country not supported for the model talk-9."},
	} {
		if err := FromRefusal("talk-9", Refusal{c.status, c.code, "", c.words}); err != nil {
			t.Errorf("%d %q %q: %v", c.status, c.code, c.words, err)
		}
	}
}

func TestNoPartOfAKeyOrAnAddressIsTakenForASuccessor(t *testing.T) {
	for _, words := range []string{
		"The model talk-9 is deprecated for sk-proj-12345, use sk-proj-12345-6 instead",
		"The model talk-9 is deprecated, use https://example.com/v1/models",
		"The model talk-9 is deprecated, use <script>alert(1)</script>-2",
		"The model talk-9 is deprecated. Please use it no longer after 2027-01-20",
		"The model talk-9 is deprecated and not available since 2027-01-20T00:00:00Z.",
		"The model talk-9 does not exist. Try another (request id: req_8f3a-1)",
		"The model talk-9 was retired; for available models see docs.x9.ai/v2/models",
		"The model talk-9 was retired. Use org-Ab12 no more",
	} {
		var e *Error
		if !errors.As(FromRefusal("talk-9", Refusal{Status: 404, Words: words}), &e) || e.Successor != "" {
			t.Errorf("%q: %+v", words, e)
		}
	}
}

func TestParameterThatIsTheModelIsUnderstood(t *testing.T) {
	for _, r := range []Refusal{
		{Code: "invalid_value", Param: "session.audio.input.transcription.model",
			Words: "Invalid value: 'talk-9'. Supported values are: 'write-light' and 'write-2'."},
		{Status: 404, Code: "not_found", Param: "model", Words: "Not found. Use 'write-light'."},
	} {
		var e *Error
		if !errors.As(FromRefusal("talk-9", r), &e) || e.Successor != "write-light" {
			t.Errorf("%+v: %+v", r, e)
		}
	}
	if err := FromRefusal("talk-9", Refusal{Code: "invalid_value", Param: "session.voice",
		Words: "Invalid value: 'anna'."}); err != nil {
		t.Error(err)
	}
}
