package control

import (
	"archive/tar"
	"errors"
	"io"
	"net/http"
	"time"
)

// backup answers with a tar of the state. An answer that is broken off ends without
// the end of an HTTP body, which no reader takes for a whole one.
func (s *Server) backup(w http.ResponseWriter, r *http.Request) {
	st, ok := s.stream(w)
	if !ok {
		return
	}
	defer st.close()
	out := tar.NewWriter(&patient{w, http.NewResponseController(w)})
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

// patient is an answer that may take long as a whole, but not in each of its pieces.
type patient struct {
	w   io.Writer
	out *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	if err := p.out.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}
