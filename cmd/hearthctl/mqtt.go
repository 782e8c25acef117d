package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"hearthd/cmd/hearthctl/ctl"
	"hearthd/config"
	"hearthd/daemon/api"
	"hearthd/daemon/mqtt/contract"
	"hearthd/daemon/vitals"
)

func mqttCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mqtt",
		Short: "Show how programs join over MQTT, and what Home Assistant is told there",
	}
	cmd.AddCommand(discoveryCommand(c), brokerCommand(c))
	return cmd
}

func brokerCommand(c *ctl.Client) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "client",
		Short: "Print how programs of this box join the embedded broker",
		Long: `Print how programs of this box join the broker that runs within hearthd, as
mosquitto_sub and mosquitto_pub read it from their own files, so that the password
stands on no command line, which every account can see:

	install -d -m 0700 ~/.config; umask 077
	hearthctl mqtt client | tee ~/.config/mosquitto_sub >~/.config/mosquitto_pub
	mosquitto_sub -t 'hearth/#' -v`,
	}
	return ctl.Show(c, cmd, ctl.Request{Path: "/v1/mqtt/client"}, showBroker)
}

func showBroker(w io.Writer, b api.Broker) {
	fmt.Fprintf(w, "-h %s\n-p %s\n-u %s\n-P %s\n", ctl.Visible(b.Host), ctl.Visible(b.Port), ctl.Visible(b.User),
		ctl.Visible(b.Password))
}

func discoveryCommand(c *ctl.Client) *cobra.Command {
	var file string
	var remove bool
	cmd := &cobra.Command{
		Use:   "discovery",
		Short: "Print the document by which Home Assistant finds this box, or take it back",
		Long: `Print the document by which Home Assistant finds this box, as hearthd publishes
it, from the configuration; no daemon need run. With --json the topic comes with it.

With --remove the running daemon takes the document back, and Home Assistant
forgets the box until hearthd starts again; mqtt.discovery: false does that for
good. Removing the package does it too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if remove {
				return c.Do(cmd, "/v1/mqtt/withdraw", struct{}{})
			}
			return printDiscovery(c, cmd, file)
		},
	}
	cmd.Flags().StringVar(&file, "config", "", "configuration `file` (default "+ctl.ConfigFile+", if it exists)")
	cmd.Flags().BoolVar(&remove, "remove", false, "take the document back")
	cmd.MarkFlagsMutuallyExclusive("config", "remove")
	return cmd
}

// printDiscovery shows the topic, on standard error, and the document.
func printDiscovery(c *ctl.Client, cmd *cobra.Command, file string) error {
	d, err := configuredDevice(file, c.Version)
	if err != nil {
		return err
	}
	doc, err := d.Document()
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"topic": d.Topic(),
			"payload": json.RawMessage(doc)})
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, doc, "", "  "); err != nil {
		return fmt.Errorf("print document: %w", err)
	}
	cmd.PrintErrln(d.Topic())
	_, err = fmt.Fprintln(cmd.OutOrStdout(), pretty.String())
	return err
}

// configuredDevice is the box that the configuration describes.
func configuredDevice(file, version string) (*contract.Device, error) {
	if file == "" {
		if _, err := os.Stat(ctl.ConfigFile); err == nil {
			file = ctl.ConfigFile
		}
	}
	c, err := config.Load(config.Source{File: file, Environ: os.Environ()})
	if err != nil {
		return nil, err
	}
	if !c.MQTT.Discovery || c.MQTT.Broker == "off" {
		return nil, errors.New("mqtt.discovery is false or mqtt.broker is off: nothing is published")
	}
	node := c.Node
	if node == "" {
		name, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("name node: %w", err)
		}
		node = contract.Node(name)
	}
	return &contract.Device{
		Discovery: c.MQTT.DiscoveryPrefix, Prefix: c.MQTT.Prefix, Node: node, Version: version, Area: c.MQTT.Area,
		Commands: c.MQTT.Commands, Words: c.Wake.Choices(), Policies: c.Choices(), Transcripts: c.Log.Transcripts,
		Temperature: vitals.Thermometer() != "",
	}, nil
}
