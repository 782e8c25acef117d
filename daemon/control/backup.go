package control

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
)

// backup answers with a tar of the state. An answer that was cut off lacks the end of an HTTP body,
// so that no reader takes it for a whole one.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) {
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	out := tar.NewWriter(st)
	begun := false
	err := s.opt.Backup(r.Context(), func(name string, size int64, from io.Reader) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", "application/x-tar")
		}
		if err := out.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o600}); err != nil {
			return err
		}
		_, err := io.Copy(out, io.LimitReader(from, size))
		return err
	})
	if err != nil && !begun {
		fail(w, r, err)
		return
	}
	if err = errors.Join(err, out.Close()); err != nil {
		s.opt.Log.WarnContext(r.Context(), "backup broken off", "component", "control", "error", err)
		panic(http.ErrAbortHandler)
	}
}
