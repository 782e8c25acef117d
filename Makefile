# Targets with ## are the ones that `make help` shows.

GO       ?= go
PREFIX   ?= /usr/local
DESTDIR  ?=
FUZZTIME ?= 60s

VERSION  = $(shell packaging/version.sh)
# As packaging/deb.sh compiles, so that make deb finds in Go's cache what make demo has compiled.
BUILDFLAGS = -buildvcs=false -trimpath -buildmode=pie
GOBUILD  = $(GO) build $(BUILDFLAGS) -ldflags "-X main.version=$(VERSION)"
PACKAGES = ./...

.DEFAULT_GOAL := help
.PHONY: help demo run build test test-386 check race integration oracle screenshots fuzz bench bench-prompt bench-hearing bench-fleet cover lint fmt fmt-check vet deb apt-repo vm-test house-test install uninstall clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Hold a spoken conversation with the real daemon on a virtual sound card
	@packaging/deps.sh demo
	@$(MAKE) --no-print-directory build
	$(GO) run $(BUILDFLAGS) ./rigs/e2e/demo -bin bin/hearthd

run: build ## Run the daemon on this machine's sound card, with its state in .state and .run
	STATE_DIRECTORY=$(CURDIR)/.state RUNTIME_DIRECTORY=$(CURDIR)/.run bin/hearthd run --config config/hearthd.yaml

build: ## Build bin/hearthd and bin/hearthctl
	@packaging/deps.sh build
	@echo "Building hearthd and its programs, the first time some minutes on a small machine…"
	$(GOBUILD) -o bin/ ./cmd/...

test: ## Run every test
	@packaging/deps.sh test
	$(GO) test -timeout 30m $(PACKAGES)

# What takes sizes from outside and needs no C. An int has 32 bits on armhf as it has on
# 386, whose programs the kernel of a PC runs as they are.
SMALL = ./config/... ./llm/... ./memory/... ./rigs/llmtest/... ./systemd/... ./tools/...

test-386: ## Run the tests of config, llm, memory, systemd and tools with 32-bit integers
	@packaging/deps.sh build
	CGO_ENABLED=0 GOARCH=386 $(GO) test -timeout 30m $(SMALL)

# The race run covers the seeds and corpora of the fuzz targets too.
check: fmt-check vet lint race ## Format, vet, lint, tests with the race detector, fuzz seeds

race: ## Run every test with the race detector
	@packaging/deps.sh test
	$(GO) test -race -timeout 60m $(PACKAGES)

# OLLAMA_HOST names a server to test against, HEARTHD_TEST_OLLAMA a program to start;
# without either one is built. What breaks a server or reads its log needs a program.
REAL = export HEARTHD_TEST_OLLAMA; \
	if [ -z "$$HEARTHD_TEST_OLLAMA$$OLLAMA_HOST" ]; then HEARTHD_TEST_OLLAMA=$$(packaging/ollama.sh) || exit; fi;

integration: ## Test against a real Ollama, which is built once (up to 20 minutes)
	@packaging/deps.sh integration
	@$(REAL) $(GO) test -count=1 -v ./rigs/llmtest/real && $(GO) test -count=1 -v -run Real ./llm/ollama ./rigs/e2e

# aimock is fetched with npx. HEARTHD_TEST_REALTIME is the base URL of another server.
oracle: ## Test the responder against OpenAI's own Go and Python libraries, and servers that others wrote
	cd rigs/llmtest/oracle && $(GO) test -count=1 -v ./...

screenshots: ## Make the pictures of the web console that README shows
	@packaging/deps.sh test
	HEARTHD_TEST_SCREENSHOTS=$(CURDIR)/packaging/pictures $(GO) test -count=1 -run Screenshots ./rigs/e2e

# Every Fuzz function by itself: go test takes one at a time.
fuzz: ## Fuzz each parser for FUZZTIME (60s)
	@packaging/deps.sh test
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | \
	while IFS=: read -r file func; do \
		name=$${func#func }; \
		echo "$(GO) test -run '^$$' -fuzz '^$$name$$' -fuzztime $(FUZZTIME) $${file%/*}"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$${file%/*}" </dev/null || exit 1; \
	done

RECORDED ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hearthd/recorded

# With HEARTHD_TEST_MODELS naming a folder that has wake/hey_jarvis.json and
# wake/okay_nabu.json, idle listening is measured with those.
bench: ## Measure latency, CPU, memory and allocations (a quarter of an hour)
	@packaging/deps.sh test
	$(GO) test -run '^$$' -bench . -benchmem -timeout 30m $(PACKAGES)
	@$(MAKE) --no-print-directory bench-prompt

bench-prompt: ## Measure what a prompt costs a real Ollama, and the way to the first sentence
	@packaging/deps.sh integration
	@$(REAL) $(GO) test -run '^$$' -bench . -benchtime 1x ./rigs/llmtest/real

# With HEARTHD_TEST_MODELS naming a folder that has silero_vad_16k_op15.onnx and
# wake/*.json, those are measured too.
bench-hearing: ## Measure hearing on recorded people and a bed of synthetic speech, into rigs/hearing/RESULTS.md
	@packaging/deps.sh hearing
	@rigs/hearing/recorded.sh $(RECORDED)
	@rigs/hearing/said.sh $(RECORDED)/said
	@rigs/hearing/orders/fetch.sh $(RECORDED)/orders
	$(GO) run ./rigs/hearing/bench -recorded $(RECORDED) -said $(RECORDED)/said -orders $(RECORDED)/orders -out rigs/hearing/RESULTS.md

# BROKER names another broker than a Mosquitto on this machine, which is then not restarted;
# FLEETFLAGS has the rest, such as -user NAME -password-file FILE -ca-file FILE.
bench-fleet: ## Measure 1,000 simulated appliances on one broker, into rigs/fleet/RESULTS.md
	@packaging/deps.sh test
	nice -n 19 $(GO) run ./rigs/fleet -out rigs/fleet/RESULTS.md $(if $(BROKER),-broker $(BROKER) $(FLEETFLAGS))

cover: ## Write cover.html and print the total
	@packaging/deps.sh test
	$(GO) test -timeout 30m -coverprofile=cover.out $(PACKAGES)
	$(GO) tool cover -html=cover.out -o cover.html
	$(GO) tool cover -func=cover.out | tail -n 1

# golangci-lint takes minutes to build from source, so it runs where it is
# installed; staticcheck is pinned in a module of its own and always runs.
lint: ## Run staticcheck, and golangci-lint where it is installed
	@packaging/deps.sh lint
	$(GO) build -C packaging/lint -o $(CURDIR)/bin/tools/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/tools/staticcheck $(PACKAGES)
	@if command -v golangci-lint >/dev/null; then golangci-lint run; fi

fmt: ## Format the Go code
	gofmt -w $$(git ls-files '*.go')

fmt-check:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi

vet:
	@packaging/deps.sh build
	$(GO) vet $(PACKAGES)
	CGO_ENABLED=0 GOARCH=arm $(GO) build $(SMALL) # an int has 32 bits there

deb: ## Build dist/*.deb for amd64, arm64 and armhf, or for ARCH=amd64 alone
	@packaging/deps.sh deb $(ARCH)
	packaging/deb.sh $(ARCH)

apt-repo: ## Make dist/apt, a repository of the packages in dist, signed with KEY=fingerprint, valid for DAYS=60
	@packaging/deps.sh apt-repo
	packaging/apt-repo.sh

vm-test: ## Boot Debian 12 and 13, install the package there and break it (as root, half an hour)
	packaging/vm/test.sh

house-test: ## Live in a house with a real Home Assistant, which is installed in a root of its own (as root)
	packaging/house/test.sh

PREFIXED = 's|^(Exec[A-Za-z]+)=/usr/bin/|\1=$(PREFIX)/bin/|'

# A package is better (make deb). This is for a machine where it cannot be had;
# /etc/hearthd/hearthd.yaml is kept if it is there.
install: build ## Install under PREFIX (/usr/local) with unit and account; honours DESTDIR
	install -D -m 0755 -t $(DESTDIR)$(PREFIX)/bin bin/hearthd bin/hearthctl bin/hearth-speech
	install -D -m 0644 packaging/man/hearth-speech.8 $(DESTDIR)$(PREFIX)/share/man/man8/hearth-speech.8
	install -D -m 0644 packaging/man/hearthd.8 $(DESTDIR)$(PREFIX)/share/man/man8/hearthd.8
	install -D -m 0644 packaging/man/hearthd.yaml.5 $(DESTDIR)$(PREFIX)/share/man/man5/hearthd.yaml.5
	bin/hearthctl gen-man $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)/etc/hearthd/conf.d $(DESTDIR)/etc/hearthd/tools.d $(DESTDIR)/etc/hearthd/thinkers.d $(DESTDIR)/etc/hearthd/prompts $(DESTDIR)/etc/systemd/system
	test -e $(DESTDIR)/etc/hearthd/hearthd.yaml || \
		install -m 0644 config/hearthd.yaml $(DESTDIR)/etc/hearthd/hearthd.yaml
	sed -E $(PREFIXED) systemd/hearthd.service >$(DESTDIR)/etc/systemd/system/hearthd.service
	sed -E $(PREFIXED) systemd/hearth-speech.service >$(DESTDIR)/etc/systemd/system/hearth-speech.service
	sed -E $(PREFIXED) systemd/hearth-speech-install.service >$(DESTDIR)/etc/systemd/system/hearth-speech-install.service
	install -m 0644 systemd/hearthd.socket $(DESTDIR)/etc/systemd/system/hearthd.socket
	install -m 0644 systemd/hearth-speech.socket $(DESTDIR)/etc/systemd/system/hearth-speech.socket
	install -m 0644 systemd/hearth-speech-install.path $(DESTDIR)/etc/systemd/system/hearth-speech-install.path
	install -D -m 0644 systemd/hearthd.sysusers $(DESTDIR)/etc/sysusers.d/hearthd.conf
	install -D -m 0644 systemd/hearthd.tmpfiles $(DESTDIR)/etc/tmpfiles.d/hearthd.conf
	install -D -m 0644 systemd/hearthd.catalog $(DESTDIR)/usr/lib/systemd/catalog/hearthd.catalog
	install -D -m 0644 packaging/udev/70-hearthd.rules $(DESTDIR)/etc/udev/rules.d/70-hearthd.rules
ifeq ($(DESTDIR),)
	systemd-sysusers hearthd.conf
	systemd-tmpfiles --create hearthd.conf
	journalctl --update-catalog
	if [ -S /run/udev/control ]; then udevadm control --reload; udevadm trigger --subsystem-match=leds --action=change; fi
	if [ -d /run/systemd/system ]; then systemctl daemon-reload && systemctl enable --now hearthd.service hearth-speech.socket hearth-speech-install.path; fi
endif

uninstall: ## Undo install; keeps /etc/hearthd and /var/lib/hearthd
ifeq ($(DESTDIR),)
	if [ -d /run/systemd/system ]; then systemctl disable --now hearthd.socket hearthd.service hearth-speech.socket hearth-speech.service hearth-speech-install.path; fi
endif
	rm -f $(DESTDIR)$(PREFIX)/bin/hearthd $(DESTDIR)$(PREFIX)/bin/hearthctl $(DESTDIR)$(PREFIX)/bin/hearth-speech
	rm -f $(DESTDIR)$(PREFIX)/share/man/man8/hearth-speech.8
	rm -f $(addprefix $(DESTDIR)/etc/systemd/system/,hearth-speech.service hearth-speech.socket hearth-speech-install.service hearth-speech-install.path)
	rm -f $(DESTDIR)$(PREFIX)/share/man/man8/hearthd.8 $(DESTDIR)$(PREFIX)/share/man/man5/hearthd.yaml.5
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/hearthctl.1 $(DESTDIR)$(PREFIX)/share/man/man1/hearthctl-*.1
	rm -f $(DESTDIR)/etc/systemd/system/hearthd.service $(DESTDIR)/etc/systemd/system/hearthd.socket
	rm -f $(DESTDIR)/etc/sysusers.d/hearthd.conf $(DESTDIR)/etc/tmpfiles.d/hearthd.conf
	rm -f $(DESTDIR)/usr/lib/systemd/catalog/hearthd.catalog $(DESTDIR)/etc/udev/rules.d/70-hearthd.rules
ifeq ($(DESTDIR),)
	journalctl --update-catalog
	if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
endif

clean: ## Remove what was built
	rm -rf bin dist demo-out cover.out cover.html
