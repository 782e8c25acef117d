package backup

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"hearthd/cmd/hearthctl/configfile"
	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/daemon/bundle"
	"hearthd/tools"
)

// maxShown bounds a program as it is shown, in bytes.
const maxShown = 1000

// shown is a program that a backup would have hearthd run, quoted as for a shell.
func shown(p config.Program) string {
	words := make([]string, len(p.Command))
	for i, w := range p.Command {
		switch words[i] = w; {
		// Such as characters that reverse the direction of a line.
		case strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsPrint(r) }):
			words[i] = strconv.Quote(w)
		case w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?"):
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	line := ctl.Visible(p.Of + ": " + strings.Join(words, " "))
	if len(line) > maxShown {
		line = fmt.Sprintf("%s … (%d bytes)", strings.ToValidUTF8(line[:maxShown], ""), len(line))
	}
	return line
}

// programsIn lists what the configuration that was unpacked to dir would run.
func programsIn(dir string, c *config.Config) ([]config.Program, error) {
	list := c.Programs()
	add := func(of string, command ...string) { list = append(list, config.Program{Of: of, Command: command}) }
	if c.Tools.Dir != config.Default().Tools.Dir {
		add("tools.dir", "whatever the files in "+c.Tools.Dir+" declare")
	}
	// In every folder, since any of them may be configured as that of the tools, now or later.
	root := filepath.Join(dir, bundle.Config)
	err := filepath.WalkDir(root, func(at string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && at == root {
			return fs.SkipAll
		}
		if err != nil || !e.IsDir() {
			return err
		}
		found, err := tools.Programs(at)
		for _, p := range found {
			if len(p.Command) == 0 {
				continue
			}
			file, _ := filepath.Rel(root, p.File)
			if len(p.Env) > 0 {
				slices.Sort(p.Env)
				file += " (sets " + strings.Join(p.Env, ", ") + ")"
			}
			add(filepath.ToSlash(file), p.Command...)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list programs: %w", err)
	}
	return list, nil
}

// loadUnpacked reads the configuration in a backup. One without its main file may still have a
// conf.d, which takes effect as soon as there is a main file again.
func loadUnpacked(dir string) (config.Config, error) {
	src := config.Source{File: filepath.Join(dir, filepath.FromSlash(bundle.MainFile))}
	if _, err := os.Lstat(src.File); errors.Is(err, fs.ErrNotExist) {
		src.Instead = map[string][]byte{src.File: nil}
	}
	c, err := config.Load(src)
	if err != nil {
		return c, fmt.Errorf("the configuration in the backup: %w", configfile.ReadError(err))
	}
	return c, nil
}

// accept asks whether the programs may run. Without a terminal a flag must have said so.
func (r *restore) accept() error {
	if len(r.programs) == 0 || r.accepted {
		return nil
	}
	out := r.cmd.ErrOrStderr()
	fmt.Fprintf(out, "With this backup hearthd would run %s:\n", counted(len(r.programs), "program"))
	for _, p := range r.programs {
		fmt.Fprintln(out, "  "+shown(p))
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("nothing is restored: there is no terminal to ask on whether these programs may run; " +
			"--accept-programs says that they may")
	}
	// What was typed before the question is no answer to it.
	if err := unix.IoctlSetInt(int(os.Stdin.Fd()), unix.TCFLSH, unix.TCIFLUSH); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	fmt.Fprint(out, "Restore it only if you know where it is from. Type yes to restore it: ")
	in := bufio.NewReader(io.LimitReader(r.cmd.InOrStdin(), 100))
	answer, err := ctl.Typed(r.cmd.Context(), func() (string, error) { return in.ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing is restored: the programs were not accepted")
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}
