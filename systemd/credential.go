package systemd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoCredential says that the unit was started without the credential.
var ErrNoCredential = errors.New("no such credential")

// maxCredential bounds a secret, in bytes: passwords and API keys, not archives.
const maxCredential = 16 << 10

// Credential reads the secret that systemd passed under name (LoadCredential=),
// without the line break that editors leave at its end. The error is
// ErrNoCredential when it was not passed, and never holds any of the secret.
func Credential(name string) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return "", fmt.Errorf("read credential %q: bad name", name)
	}
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return "", fmt.Errorf("read credential %q: %w", name, ErrNoCredential)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read credential %q: %w", name, ErrNoCredential)
	}
	if err != nil {
		return "", fmt.Errorf("read credential %q: %w", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCredential+1))
	if err != nil {
		return "", fmt.Errorf("read credential %q: %w", name, err)
	}
	if len(b) > maxCredential {
		return "", fmt.Errorf("read credential %q: longer than %d bytes", name, maxCredential)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}
