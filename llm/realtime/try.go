package realtime

import (
	"context"
)

// Try opens a session, configures it and closes it. No audio is sent and nothing is
// asked, so it costs nothing, or a second where sessions are paid by time. Its errors are those of a
// Client, such as ErrKey.
func Try(ctx context.Context, o Options) error {
	s, err := open(ctx, &o, &Persona{})
	if err != nil {
		return err
	}
	// To say goodbye to the service is only a courtesy.
	_ = s.line.Close()
	return nil
}
