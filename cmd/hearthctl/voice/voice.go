// Package voice looks after the voices that people are known by: it lists, records and removes them.
package voice

import (
	"fmt"
	"io"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/cmd/hearthctl/wake"
	"hearthd/daemon/api"

	"github.com/spf13/cobra"
)

func Command(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "voice",
		Short: "Look after the voices that people are known by",
		Long: `Look after the voices that people are known by.

With memory.voices in hearthd.yaml(5) a person of memory.people is known by their
voice: what is remembered of whom, "my list" and "remind me" go by it. It is a
guess, and permits nothing. What voices are known by stays on the box; it is erased
by remove, and when the person is forgotten. The first steps are:

  hearthctl speech list     which models know voices, and their names
  sudo hearthctl speech install MODEL
  sudo hearthctl config set memory.people '[anna, ben]'
  sudo hearthctl config set memory.voices unix:/run/hearth-speech/wyoming.sock
  sudo systemctl restart hearthd
  hearthctl voice enroll anna`,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(listCommand(c), enrollCommand(c), removeCommand(c))
	return cmd
}

func listCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List who is known by their voice"}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/voice"}, func(w io.Writer, list []api.Voice) {
		if len(list) == 0 {
			fmt.Fprintln(w, "nobody; hearthctl voice enroll NAME records a voice")
		}
		for _, v := range list {
			fmt.Fprintf(w, "%-20s %d prints by %s\n", ctl.Visible(v.Person), v.Prints, ctl.Visible(v.Model))
		}
	})
}

// sentences are what a person may say: each has some three seconds of many sounds.
var sentences = [3]string{
	"What will the weather be like on Saturday afternoon?",
	"Please put bread, tomatoes and washing powder on the shopping list.",
	"Remind me tomorrow at half past seven to call the garage.",
}

func enrollCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "enroll NAME",
		Short: "Record the voice of a person",
		Long: `Record the voice of a person in memory.people, with hearthd's microphone.

Say three sentences when you are asked to, alone and in your usual voice, from where
you usually stand. Any will do, in any language. A voice that is recorded again takes
the place of the one before.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return wake.Follow(c, cmd, "/v1/voice/enroll", api.Person{Person: args[0]},
				func(w io.Writer, s *api.EnrollStep) { showStep(w, s, args[0]) })
		},
	}
}

func showStep(w io.Writer, s *api.EnrollStep, person string) {
	switch {
	case s.State == "say":
		fmt.Fprintf(w, "Say (%d of %d) “%s” … ", s.Good+1, s.Of, sentences[s.Good%len(sentences)])
	case s.State == "heard" && s.Problem != "":
		fmt.Fprintf(w, "%s\n", ctl.Visible(s.Problem))
	case s.State == "heard":
		fmt.Fprintf(w, "good: %.1f s\n", s.Seconds)
	case s.State == "done":
		fmt.Fprintf(w, "%s is known by voice now. hearthctl voice remove %[1]s forgets it.\n", ctl.Visible(person))
	}
}

func removeCommand(c *ctl.Client) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NAME",
		Short: "Forget the voice of a person",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.Do(cmd, "/v1/voice/remove", api.Person{Person: args[0]})
		},
	}
}
