package gguf

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// embedContext is the longest text of an embedder, in tokens.
const embedContext = 512

// WriteEmbedder writes an embedding model of BERT's architecture that knows concepts:
// each is a list of words, and a text's vector is the mean of the concepts that it
// names, one dimension each. Words of one concept are synonyms; all other words mean
// nothing. The same concepts give the same bytes.
func WriteEmbedder(w io.Writer, concepts [][]string) error {
	tokens := []token{{"[PAD]", 0, kindControl}, {"[UNK]", 0, kindControl}, {"[CLS]", 0, kindControl},
		{"[SEP]", 0, kindControl}}
	meaning := map[int]int{}
	known := map[string]int{}
	for i, words := range concepts {
		for _, word := range words {
			if word == "" || strings.ToLower(word) != word || strings.ContainsAny(word, " \t\n▁") {
				return fmt.Errorf("write embedder: concept %d: %q is not one word in small letters", i, word)
			}
			if other, ok := known[word]; ok {
				return fmt.Errorf("write embedder: %q belongs to the concepts %d and %d", word, other, i)
			}
			known[word], meaning[len(tokens)] = i, i
			tokens = append(tokens, token{"▁" + word, 0, kindNormal})
		}
	}
	if len(concepts) == 0 {
		return errors.New("write embedder: no concepts")
	}
	// What is in no concept is spelled, in characters that mean nothing.
	for c := '!'; c <= '~'; c++ {
		for _, text := range []string{"▁" + string(c), string(c)} {
			if _, ok := known[string(c)]; !ok || text == string(c) {
				tokens = append(tokens, token{text, 0, kindNormal})
			}
		}
	}
	width := roundUp(len(concepts)+2, 32) // one for [CLS]; another, for layer norms take the mean away
	words := matrix("token_embd.weight", width, len(tokens))
	for t, c := range meaning {
		words.put(t, c, 1)
	}
	words.put(2, len(concepts), 1) // no text has the vector zero, which is near to nothing
	return writeFile(w, embedderKeys(tokens, width), embedderTensors(words, width, len(concepts)))
}

func embedderKeys(tokens []token, width int) []entry {
	return append([]entry{
		{"general.architecture", "bert"},
		{"general.name", "concepts"},
		{"general.file_type", uint32(0)},
		{"general.alignment", uint32(alignment)},
		{"bert.context_length", uint32(embedContext)},
		{"bert.embedding_length", uint32(width)},
		{"bert.block_count", uint32(1)},
		{"bert.feed_forward_length", uint32(feedForward)},
		{"bert.attention.head_count", uint32(1)},
		{"bert.attention.layer_norm_epsilon", float32(1e-12)},
		{"bert.attention.causal", false},
		{"bert.pooling_type", uint32(1)}, // the mean
		{"tokenizer.ggml.model", "bert"},
		{"tokenizer.ggml.pre", "default"},
		{"tokenizer.ggml.padding_token_id", uint32(0)},
		{"tokenizer.ggml.unknown_token_id", uint32(1)},
		{"tokenizer.ggml.cls_token_id", uint32(2)},
		{"tokenizer.ggml.bos_token_id", uint32(2)},
		{"tokenizer.ggml.seperator_token_id", uint32(3)}, // llama.cpp's spelling
		{"tokenizer.ggml.eos_token_id", uint32(3)},
		{"tokenizer.ggml.token_type_count", uint32(2)},
	}, vocabulary(tokens)...)
}

// embedderTensors has one layer that adds nothing, and makes little of the dimension
// that every text has.
func embedderTensors(words *tensor, width, common int) []*tensor {
	ts := []*tensor{words, matrix("token_types.weight", width, 2), matrix("position_embd.weight", width, embedContext)}
	norm := func(name string) {
		ts = append(ts, constant(name+".weight", width, 1), constant(name+".bias", width, 0))
	}
	linear := func(name string, in, out int) {
		ts = append(ts, matrix(name+".weight", in, out), constant(name+".bias", out, 0))
	}
	norm("token_embd_norm")
	for _, name := range []string{"attn_q", "attn_k", "attn_v", "attn_output"} {
		linear("blk.0."+name, width, width)
	}
	norm("blk.0.attn_output_norm")
	linear("blk.0.ffn_up", width, feedForward)
	linear("blk.0.ffn_down", feedForward, width)
	norm("blk.0.layer_output_norm")
	ts[len(ts)-2].data[common] = 0.05
	return ts
}
