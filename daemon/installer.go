package daemon

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hearthd/config/letters"
	"hearthd/daemon/refusal"
)

const (
	// installLog is the variable that names the file in which the unit hearth-speech-install writes what it does.
	// Where it is not set, no such unit waits for a request.
	installLog = "SPEECH_INSTALL_LOG"
	// installRequest is the file below the runtime folder for which the unit waits. Nobody reads what it holds.
	installRequest = "speech-install"
	maxInstallLog  = 8 << 10 // bytes that are read
	maxInstallLine = 300     // bytes of a line
)

// InstallSpeech has the unit install what "hearthctl speech install --yes" proposes. hearthd may only ask for that.
func (b apiChanges) InstallSpeech() error {
	if os.Getenv(installLog) == "" {
		return refusal.Error("nothing here can install it for a page: run \"sudo hearthctl speech install\"")
	}
	return os.WriteFile(filepath.Join(b.opt.RuntimeDir, installRequest), nil, 0o600)
}

// installed is what the unit has written, line by line, and whether there is such a unit.
func installed() (lines []string, ok bool, err error) {
	path := os.Getenv(installLog)
	if path == "" {
		return nil, false, nil
	}
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, true, nil
	}
	if err != nil {
		return nil, true, fmt.Errorf("read what the installation says: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxInstallLog))
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSpace(letters.Plain(line, maxInstallLine)))
	}
	return lines, true, err
}
