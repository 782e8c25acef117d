package api

// Setting is one key of the configuration.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"` // YAML on one line
	Default string `json:"default"`
	Origin  string `json:"origin"` // FILE:LINE, a variable, or "default"
}

// Configuration is the answer to GET /v1/config.
type Configuration struct {
	File    string    `json:"file"` // empty: there is none
	Running []Setting `json:"running"`
	// Disk is what a start would find now; it is empty when that has Problems.
	Disk     []Setting `json:"disk"`
	Problems []string  `json:"problems"`
	// Live are the keys of both that differ and need no restart, Restart the others.
	Live    []string `json:"live"`
	Restart []string `json:"restart"`
}

// Reloaded is the answer to POST /v1/reload. With Problems nothing has changed.
type Reloaded struct {
	Applied  []string `json:"applied"` // keys
	Restart  []string `json:"restart"` // keys that changed and wait for a restart
	Problems []string `json:"problems,omitempty"`
}
