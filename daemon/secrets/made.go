package secrets

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hearthd/config"
)

// minMade is the shortest secret that is taken from a file of our own, in bytes.
const minMade = 16

// Made reads the secret that an earlier start has made at path, or makes one that only the owner can read: 26
// letters and digits, 130 bits.
func Made(path string) (string, error) {
	text, err := Read(config.Secret("file:" + path))
	if err == nil && len(text) < minMade {
		return "", fmt.Errorf("read secret %q: it has less than %d characters; remove the file for a new one", path, minMade)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	text = rand.Text()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fmt.Errorf("make secret: %w", err)
	}
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("make secret: %w", err), os.Remove(path))
	}
	return text, nil
}
