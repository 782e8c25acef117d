package wake

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config/input"
	"hearthd/daemon/api"
)

// Bounds of what is installed, in bytes: the same as hearthd's.
const (
	maxManifest = 64 << 10
	maxNetwork  = 4 << 20
	maxChecksum = 4 << 10
	// installLimit is for a whole installation.
	installLimit = 10 * time.Minute
)

func installCommand(c *ctl.Client) *cobra.Command {
	var name, sum string
	cmd := &cobra.Command{
		Use:   "install FILE.json|URL",
		Short: "Install a microWakeWord model from its manifest, a file or a URL",
		Long: `Install a microWakeWord model: the manifest FILE.json and the network that it
names beside it. From a URL both are fetched. Nothing that is fetched is run.

The network's SHA-256 is checked against --sha256, or else against what stands
beside the network in a file of its name with .sha256 appended, if there is one.
Over plain http only --sha256 is good enough, and no redirect leads to it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := Install(c, cmd, args[0], name, strings.ToLower(sum))
			return err
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`name` in wake.words (default: the manifest's file name)")
	cmd.Flags().StringVar(&sum, "sha256", "", "what the network's SHA-256 must be, in `hex`")
	return cmd
}

// place is where a model comes from.
type place interface {
	// read reads the file of that name beside the manifest, or the manifest itself
	// for "". Errors that wrap os.ErrNotExist say that it is not there.
	read(ctx context.Context, name string, limit int64) ([]byte, error)
}

// Install returns the name that the word is kept under.
func Install(c *ctl.Client, cmd *cobra.Command, from, name, sum string) (string, error) {
	ctx, cancel := context.WithTimeout(cmd.Context(), installLimit)
	defer cancel()
	if sum != "" && !isSum(sum) {
		return "", fmt.Errorf("--sha256 %q is not 64 hexadecimal digits", sum)
	}
	at, base, err := locate(from, c.Version)
	if w, ok := at.(*web); ok && w.at.Scheme != "https" && sum == "" {
		// A checksum file beside the network there could be forged along with it.
		return "", fmt.Errorf("install %s: whoever is on the way can change what comes over http; use https, or "+
			"say with "+
			"--sha256 what the network must be", ctl.Visible(from))
	}
	if err != nil {
		return "", err
	}
	manifest, network, err := fetchModel(ctx, at, sum)
	if err != nil {
		return "", fmt.Errorf("install %s: %w", ctl.Visible(from), err)
	}
	body := api.Install{Name: cmp.Or(name, strings.TrimSuffix(base, ".json")), Manifest: manifest, Network: network}
	var w api.Word
	if err := c.Ask(ctx, ctl.Request{Path: "/v1/wake/install", Body: body, Limit: installLimit}, &w); err != nil {
		return "", err
	}
	if c.JSON {
		return w.Model, ctl.PrintJSON(cmd.OutOrStdout(), w)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "“%s” is installed as %s, %d bytes.\n", ctl.Visible(w.Name), ctl.Visible(w.Model),
		len(network))
	if w.Configured {
		fmt.Fprintln(cmd.OutOrStdout(), "It is configured already: restart hearthd to hear it.")
		return w.Model, nil
	}
	fmt.Fprintln(cmd.OutOrStdout(), useText(w.Model))
	return w.Model, nil
}

// locate tells a URL from a file, and also returns the manifest's own name.
func locate(from, version string) (at place, base string, err error) {
	if !strings.Contains(from, "://") {
		return folder(from), filepath.Base(from), nil
	}
	u, err := url.Parse(from)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, "", fmt.Errorf("%q is no http or https URL", ctl.Visible(from))
	}
	return newWeb(u, version), path.Base(u.Path), nil
}

// fetchModel reads manifest and network, and checks the network.
func fetchModel(ctx context.Context, at place, sum string) (manifest, network []byte, err error) {
	if manifest, err = at.read(ctx, "", maxManifest); err != nil {
		return nil, nil, err
	}
	var m struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		return nil, nil, fmt.Errorf("read manifest: want the JSON of a microWakeWord model: %w", err)
	}
	if !strings.HasSuffix(m.Model, ".tflite") || strings.ContainsAny(m.Model, "/\\?#%") ||
		strings.HasPrefix(m.Model, ".") {
		return nil, nil, fmt.Errorf("read manifest: model %q is no name of a .tflite file beside it",
			ctl.Visible(m.Model))
	}
	if sum == "" {
		if sum, err = checksum(ctx, at, m.Model); err != nil {
			return nil, nil, err
		}
	}
	if network, err = at.read(ctx, m.Model, maxNetwork); err != nil {
		return nil, nil, err
	}
	if got := sha256.Sum256(network); sum != "" && hex.EncodeToString(got[:]) != sum {
		return nil, nil, fmt.Errorf("%s has the SHA-256 %x, want %s", ctl.Visible(m.Model), got, sum)
	}
	return manifest, network, nil
}

// checksum reads the checksum file of a network, empty if there is none.
func checksum(ctx context.Context, at place, network string) (string, error) {
	text, err := at.read(ctx, network+".sha256", maxChecksum)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w; with --sha256 it is not asked for", err)
	}
	sum, _, _ := strings.Cut(strings.TrimSpace(string(text)), " ") // as sha256sum writes it
	if sum = strings.ToLower(sum); !isSum(sum) {
		return "", fmt.Errorf("%s.sha256 holds no SHA-256; with --sha256 it is not asked for", ctl.Visible(network))
	}
	return sum, nil
}

func isSum(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == sha256.Size
}

// folder is the path of a manifest, with the network beside it.
type folder string

func (f folder) read(_ context.Context, name string, limit int64) ([]byte, error) {
	file := string(f)
	if name != "" {
		file = filepath.Join(filepath.Dir(file), name)
	}
	data, err := input.ReadFile(file, limit)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ctl.Visible(file), err)
	}
	return data, nil
}
