package sherpa

import (
	"fmt"
	"path/filepath"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is the loaded library. It stays loaded until the process ends.
type Library struct {
	createOnline      func(*onlineConfig) uintptr
	destroyOnline     func(uintptr)
	onlineStream      func(recogniser uintptr) uintptr
	onlineStreamWords func(recogniser uintptr, hotWords text) uintptr
	onlineDestroy     func(stream uintptr)
	onlineAccept      func(stream uintptr, rate int32, samples *float32, n int32)
	onlineFinished    func(stream uintptr)
	onlineReady       func(recogniser, stream uintptr) int32
	onlineDecode      func(recogniser, stream uintptr)
	onlineResult      func(recogniser, stream uintptr) *result
	onlineResultFree  func(*result)

	createOffline     func(*offlineConfig) uintptr
	destroyOffline    func(uintptr)
	offlineStream     func(recogniser uintptr) uintptr
	offlineDestroy    func(stream uintptr)
	offlineAccept     func(stream uintptr, rate int32, samples *float32, n int32)
	offlineDecode     func(recogniser, stream uintptr)
	offlineResult     func(stream uintptr) *result
	offlineResultFree func(*result)

	createVoice  func(*voiceConfig) uintptr
	destroyVoice func(uintptr)
	voiceRate    func(uintptr) int32
	speak        func(voice uintptr, words text, how *generation, progress, of uintptr) *generated
	audioFree    func(*generated)

	createPrinter  func(*printerConfig) uintptr
	destroyPrinter func(uintptr)
	printLength    func(uintptr) int32
	printStream    func(printer uintptr) uintptr
	printReady     func(printer, stream uintptr) int32
	print          func(printer, stream uintptr) *float32
	printFree      func(*float32)

	createSpotter     func(*keywordConfig) uintptr
	destroySpotter    func(uintptr)
	spotterStream     func(spotter uintptr) uintptr
	spotterReady      func(spotter, stream uintptr) int32
	spotterDecode     func(spotter, stream uintptr)
	spotterReset      func(spotter, stream uintptr)
	spotterResult     func(spotter, stream uintptr) *result
	spotterResultFree func(*result)
}

// The libraries, as their folder has them. The first is loaded before the second, which needs it.
var files = []string{"libonnxruntime.so", "libsherpa-onnx-c-api.so"}

// Open loads the library from a folder. A release whose structures are not known here is refused: they
// change from one to the next, and a wrong one would be read as memory that it is not.
func Open(folder string) (*Library, error) {
	var handle uintptr
	for _, f := range files {
		var err error
		if handle, err = purego.Dlopen(filepath.Join(folder, f), purego.RTLD_NOW|purego.RTLD_GLOBAL); err != nil {
			return nil, fmt.Errorf("load speech library: %w", err)
		}
	}
	l := &Library{}
	var version func() string
	for name, f := range l.functions(&version) {
		symbol, err := purego.Dlsym(handle, name)
		if err != nil {
			return nil, fmt.Errorf("load speech library: it is another release than %s: %w", known, err)
		}
		purego.RegisterFunc(f, symbol)
	}
	if v := version(); v != known {
		return nil, fmt.Errorf("load speech library: it is release %.40q, and only %s is known", v, known)
	}
	return l, nil
}

// functions are those that are called, by their names in the library.
func (l *Library) functions(version *func() string) map[string]any {
	return map[string]any{
		"SherpaOnnxGetVersionStr":                   version,
		"SherpaOnnxCreateOnlineRecognizer":          &l.createOnline,
		"SherpaOnnxDestroyOnlineRecognizer":         &l.destroyOnline,
		"SherpaOnnxCreateOnlineStream":              &l.onlineStream,
		"SherpaOnnxCreateOnlineStreamWithHotwords":  &l.onlineStreamWords,
		"SherpaOnnxDestroyOnlineStream":             &l.onlineDestroy,
		"SherpaOnnxOnlineStreamAcceptWaveform":      &l.onlineAccept,
		"SherpaOnnxOnlineStreamInputFinished":       &l.onlineFinished,
		"SherpaOnnxIsOnlineStreamReady":             &l.onlineReady,
		"SherpaOnnxDecodeOnlineStream":              &l.onlineDecode,
		"SherpaOnnxGetOnlineStreamResult":           &l.onlineResult,
		"SherpaOnnxDestroyOnlineRecognizerResult":   &l.onlineResultFree,
		"SherpaOnnxCreateOfflineRecognizer":         &l.createOffline,
		"SherpaOnnxDestroyOfflineRecognizer":        &l.destroyOffline,
		"SherpaOnnxCreateOfflineStream":             &l.offlineStream,
		"SherpaOnnxDestroyOfflineStream":            &l.offlineDestroy,
		"SherpaOnnxAcceptWaveformOffline":           &l.offlineAccept,
		"SherpaOnnxDecodeOfflineStream":             &l.offlineDecode,
		"SherpaOnnxGetOfflineStreamResult":          &l.offlineResult,
		"SherpaOnnxDestroyOfflineRecognizerResult":  &l.offlineResultFree,
		"SherpaOnnxCreateOfflineTts":                &l.createVoice,
		"SherpaOnnxDestroyOfflineTts":               &l.destroyVoice,
		"SherpaOnnxOfflineTtsSampleRate":            &l.voiceRate,
		"SherpaOnnxOfflineTtsGenerateWithConfig":    &l.speak,
		"SherpaOnnxDestroyOfflineTtsGeneratedAudio": &l.audioFree,

		"SherpaOnnxCreateSpeakerEmbeddingExtractor":           &l.createPrinter,
		"SherpaOnnxDestroySpeakerEmbeddingExtractor":          &l.destroyPrinter,
		"SherpaOnnxSpeakerEmbeddingExtractorDim":              &l.printLength,
		"SherpaOnnxSpeakerEmbeddingExtractorCreateStream":     &l.printStream,
		"SherpaOnnxSpeakerEmbeddingExtractorIsReady":          &l.printReady,
		"SherpaOnnxSpeakerEmbeddingExtractorComputeEmbedding": &l.print,
		"SherpaOnnxSpeakerEmbeddingExtractorDestroyEmbedding": &l.printFree,

		"SherpaOnnxCreateKeywordSpotter":  &l.createSpotter,
		"SherpaOnnxDestroyKeywordSpotter": &l.destroySpotter,
		"SherpaOnnxCreateKeywordStream":   &l.spotterStream,
		"SherpaOnnxIsKeywordStreamReady":  &l.spotterReady,
		"SherpaOnnxDecodeKeywordStream":   &l.spotterDecode,
		"SherpaOnnxResetKeywordStream":    &l.spotterReset,
		"SherpaOnnxGetKeywordResult":      &l.spotterResult,
		"SherpaOnnxDestroyKeywordResult":  &l.spotterResultFree,
	}
}

// texts makes C's texts, and keeps them until keep is called.
type texts struct{ made [][]byte }

func (t *texts) c(s string) text {
	b := append([]byte(s), 0)
	t.made = append(t.made, b)
	return &b[0]
}

func (t *texts) keep() { runtime.KeepAlive(t.made) }

// maxResult bounds what is read of a result, in bytes.
const maxResult = 64 << 10

// str copies a text of C.
func str(t text) string {
	if t == nil {
		return ""
	}
	n := 0
	for n < maxResult && *(*byte)(unsafe.Add(unsafe.Pointer(t), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(t, n))
}
