package gguf

import (
	"fmt"
	"strings"
)

// Template is a chat template for a scripted model, in Ollama's language. The order
// is that of most models: system prompt, tools, messages. A thinking one makes Ollama
// take the model for one that can think.
func Template(thinking bool) string {
	thought, direct := "", ""
	if thinking {
		thought = "{{ if .Thinking }}<think>\n{{ .Thinking }}\n</think>\n\n{{ end }}"
		direct = "{{ if and $.IsThinkSet (not $.Think) }}" + markDirect + "\n{{ end }}"
	}
	const block = "%s\n%s\n" + MarkEnd + "\n"
	return strings.Join([]string{
		fmt.Sprintf("{{ if .System }}"+block+"{{ end }}", MarkSystem, "{{ .System }}"),
		fmt.Sprintf("{{ if .Tools }}"+block+"{{ end }}", MarkTools, "{{ range .Tools }}{{ . }}\n{{ end }}"),
		"{{ range .Messages }}",
		fmt.Sprintf(`{{ if eq .Role "user" }}`+block, MarkUser, "{{ .Content }}"),
		fmt.Sprintf(`{{ else if eq .Role "assistant" }}`+block, MarkAssistant, thought+"{{ .Content }}"+
			"{{ if .ToolCalls }}<tool_call>\n{{ range .ToolCalls }}"+
			`{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}`+"\n{{ end }}</tool_call>{{ end }}"),
		fmt.Sprintf(`{{ else if eq .Role "tool" }}`+block, MarkTool, "{{ .Content }}\n"+MarkResult),
		"{{ end }}{{ end }}" + MarkAssistant + "\n" + direct,
	}, "")
}

// Call is the text by which a model behind Template calls tools: one after the other,
// each a name and a JSON object of arguments.
func Call(calls ...[2]string) string {
	var b strings.Builder
	b.WriteString("<tool_call>\n")
	for _, c := range calls {
		fmt.Fprintf(&b, `{"name": %q, "arguments": %s}`+"\n", c[0], c[1])
	}
	b.WriteString("</tool_call>")
	return b.String()
}
