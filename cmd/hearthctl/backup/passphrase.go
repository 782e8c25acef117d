package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"hearthd/cmd/hearthctl/ctl"

	"filippo.io/age"
	"golang.org/x/term"
)

const (
	// minPassphrase is the shortest that is taken, in bytes: the file may be copied anywhere.
	minPassphrase = 10
	maxPassphrase = 1024
	// workFactor is log2 of scrypt's N: OWASP's least (Password Storage Cheat Sheet),
	// which takes 128 MB and a few seconds of a Pi. maxWorkFactor, that of age itself,
	// bounds what a file may ask for.
	workFactor, maxWorkFactor = 17, 18
)

// passphrase reads one from a file, or asks for it, twice when it is new.
func passphrase(ctx context.Context, file string, isNew bool) (string, error) {
	var text []byte
	var err error
	if file != "" {
		text, err = readPassphrase(file)
	} else {
		text, err = askPassphrase(ctx, isNew)
	}
	if err != nil {
		return "", fmt.Errorf("read passphrase: %w", err)
	}
	if isNew && len(text) < minPassphrase {
		return "", fmt.Errorf("read passphrase: it has %d bytes, want %d or more", len(text), minPassphrase)
	}
	return string(text), nil
}

func readPassphrase(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPassphrase+1))
	if err == nil && len(text) > maxPassphrase {
		err = fmt.Errorf("longer than %d bytes", maxPassphrase)
	}
	return bytes.TrimRight(text, "\r\n"), err
}

func askPassphrase(ctx context.Context, isNew bool) ([]byte, error) {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil, errors.New("there is no terminal to ask on; name a file with --passphrase-file")
	}
	text, err := ctl.Hidden(ctx, os.Stdin, func() { fmt.Fprint(os.Stderr, "Passphrase: ") })
	fmt.Fprintln(os.Stderr)
	if err != nil || !isNew {
		return text, err
	}
	again, err := ctl.Hidden(ctx, os.Stdin, func() { fmt.Fprint(os.Stderr, "The same again: ") })
	fmt.Fprintln(os.Stderr)
	if err == nil && !bytes.Equal(text, again) {
		err = errors.New("the two differ")
	}
	return text, err
}

// encrypt encrypts what is written to w, with age (https://age-encryption.org/v1).
func encrypt(w io.Writer, pass string) (io.WriteCloser, error) {
	to, err := age.NewScryptRecipient(pass)
	if err != nil {
		return nil, fmt.Errorf("encrypt backup: %w", err)
	}
	to.SetWorkFactor(workFactor)
	return age.Encrypt(w, to)
}

// ageHeader begins what encrypt writes.
const ageHeader = "age-encryption.org/v1\n"

// decrypt decrypts r.
func decrypt(r io.Reader, pass string) (io.Reader, error) {
	from, err := age.NewScryptIdentity(pass)
	if err != nil {
		return nil, fmt.Errorf("decrypt backup: %w", err)
	}
	from.SetMaxWorkFactor(maxWorkFactor)
	out, err := age.Decrypt(r, from)
	if _, ok := errors.AsType[*age.NoIdentityMatchError](err); ok {
		return nil, errors.New("decrypt backup: this is not its passphrase")
	}
	return out, err
}
