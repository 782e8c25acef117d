package config

// Secret says where a secret is: "file:PATH" or "credential:NAME" (a systemd
// credential). The secret itself never stands in the configuration. It prints
// as its place, which is not secret.
type Secret string
