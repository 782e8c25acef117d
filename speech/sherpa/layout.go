package sherpa

import "hearthd/speech/model"

// What stands here is laid out as c-api.h of the one release model.Release has it, on every machine: the
// tags are the names there. Fields without a tag are of engines that are not used, and stay zero. A test
// compares it with the header by a C compiler.

// text is a const char *.
type text = *byte

type features struct {
	Rate int32 `c:"sample_rate"`
	Dim  int32 `c:"feature_dim"`
}

type transducer struct {
	Encoder text `c:"encoder"`
	Decoder text `c:"decoder"`
	Joiner  text `c:"joiner"`
}

// onlineConfig is SherpaOnnxOnlineRecognizerConfig.
type onlineConfig struct {
	Features      features    `c:"feat_config"`
	Model         onlineModel `c:"model_config"`
	Method        text        `c:"decoding_method"`
	Paths         int32       `c:"max_active_paths"`
	_             int32       // endpoints
	_             [3]float32
	_             text    // a file of hot words
	HotWordsScore float32 `c:"hotwords_score"`
	_             struct {
		_ text
		_ int32
	}
	_ [2]text
	_ float32
	_ text // hot words for all streams
	_ int32
	_ [3]text
}

type onlineModel struct {
	Transducer transducer `c:"transducer"`
	_          [3]text
	Tokens     text  `c:"tokens"`
	Threads    int32 `c:"num_threads"`
	Provider   text  `c:"provider"`
	Debug      int32 `c:"debug"`
	_          text  // model_type: the model's metadata tell it
	Unit       text  `c:"modeling_unit"`
	Vocabulary text  `c:"bpe_vocab"`
	_          text
	_          int32
	_          [2]text
}

// offlineConfig is SherpaOnnxOfflineRecognizerConfig.
type offlineConfig struct {
	Features features     `c:"feat_config"`
	Model    offlineModel `c:"model_config"`
	_        struct {
		_ text
		_ float32
	}
	Method text  `c:"decoding_method"`
	Paths  int32 `c:"max_active_paths"`
	_      text
	_      float32
	_      [2]text
	_      float32
	_      [3]text
}

type offlineModel struct {
	_        transducer
	_        [2]text
	Whisper  whisper `c:"whisper"`
	_        text
	Tokens   text  `c:"tokens"`
	Threads  int32 `c:"num_threads"`
	Debug    int32 `c:"debug"`
	Provider text  `c:"provider"`
	_        [4]text
	_        struct {
		_ [2]text
		_ int32
	}
	Moonshine moonshine `c:"moonshine"`
	_         [4]text
	_         struct { // canary
		_ [4]text
		_ int32
	}
	_ [3]text
	_ struct { // funasr_nano
		_ [6]text
		_ int32
		_ [2]float32
		_ int32
		_ text
		_ int32
		_ text
	}
	_ text
	_ struct { // qwen3_asr
		_ [4]text
		_ [2]int32
		_ [2]float32
		_ int32
		_ text
	}
	_ struct { // cohere_transcribe
		_ [3]text
		_ [2]int32
	}
}

type whisper struct {
	Encoder  text  `c:"encoder"`
	Decoder  text  `c:"decoder"`
	Language text  `c:"language"`
	Task     text  `c:"task"`
	Tail     int32 `c:"tail_paddings"`
	_        [2]int32
}

type moonshine struct {
	Preprocessor    text `c:"preprocessor"`
	Encoder         text `c:"encoder"`
	UncachedDecoder text `c:"uncached_decoder"`
	CachedDecoder   text `c:"cached_decoder"`
	MergedDecoder   text `c:"merged_decoder"`
}

// voiceConfig is SherpaOnnxOfflineTtsConfig.
type voiceConfig struct {
	Model     voiceModel `c:"model"`
	_         text
	Sentences int32 `c:"max_num_sentences"`
	_         text
	Silence   float32 `c:"silence_scale"`
}

type voiceModel struct {
	Piper    piper    `c:"vits"`
	Threads  int32    `c:"num_threads"`
	Debug    int32    `c:"debug"`
	Provider text     `c:"provider"`
	_        struct { // matcha
		_ [5]text
		_ [2]float32
		_ text
	}
	Kokoro kokoro   `c:"kokoro"`
	Kitten kitten   `c:"kitten"`
	_      struct { // zipvoice
		_ [6]text
		_ [4]float32
	}
	_ struct { // pocket
		_ [7]text
		_ int32
	}
	_ [7]text // supertonic
}

type piper struct {
	Model       text    `c:"model"`
	Lexicon     text    `c:"lexicon"`
	Tokens      text    `c:"tokens"`
	Data        text    `c:"data_dir"`
	Noise       float32 `c:"noise_scale"`
	NoiseLength float32 `c:"noise_scale_w"`
	Length      float32 `c:"length_scale"`
	_           text
}

type kokoro struct {
	Model   text    `c:"model"`
	Voices  text    `c:"voices"`
	Tokens  text    `c:"tokens"`
	Data    text    `c:"data_dir"`
	Length  float32 `c:"length_scale"`
	_       text
	Lexicon text `c:"lexicon"`
	_       text
}

type kitten struct {
	Model  text    `c:"model"`
	Voices text    `c:"voices"`
	Tokens text    `c:"tokens"`
	Data   text    `c:"data_dir"`
	Length float32 `c:"length_scale"`
}

// printerConfig is SherpaOnnxSpeakerEmbeddingExtractorConfig.
type printerConfig struct {
	Model    text  `c:"model"`
	Threads  int32 `c:"num_threads"`
	Debug    int32 `c:"debug"`
	Provider text  `c:"provider"`
}

// keywordConfig is SherpaOnnxKeywordSpotterConfig.
type keywordConfig struct {
	Features  features    `c:"feat_config"`
	Model     onlineModel `c:"model_config"`
	Paths     int32       `c:"max_active_paths"`
	Blanks    int32       `c:"num_trailing_blanks"`
	Boost     float32     `c:"keywords_score"`
	Threshold float32     `c:"keywords_threshold"`
	_         text
	Keywords  text  `c:"keywords_buf"`
	Size      int32 `c:"keywords_buf_size"`
}

// generation is SherpaOnnxGenerationConfig.
type generation struct {
	Silence float32 `c:"silence_scale"`
	Speed   float32 `c:"speed"`
	Speaker int32   `c:"sid"`
	_       text
	_       [2]int32
	_       text
	_       int32
	_       text
}

// generated is SherpaOnnxGeneratedAudio.
type generated struct {
	Samples *float32 `c:"samples"`
	N       int32    `c:"n"`
	Rate    int32    `c:"sample_rate"`
}

// result is what begins SherpaOnnxOnlineRecognizerResult, SherpaOnnxOfflineRecognizerResult and, as its keyword,
// SherpaOnnxKeywordResult. The library makes it, so the rest needs no place here.
type result struct {
	Text text `c:"text"`
}

// known is the release that is laid out here.
const known = model.Release
