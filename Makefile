# The front door. `./setup TARGET` brings in what is missing on this machine first.
BUILD = build
PREFIX = /usr/local
FUZZ_SECONDS = 30
GENERATOR = $(shell command -v ninja >/dev/null 2>&1 && echo -G Ninja)

all: ## build the program and the libraries into build/
	@cmake -S . -B $(BUILD) $(GENERATOR) -DCMAKE_BUILD_TYPE=Release -DSTRUCTURE_TESTS=OFF $(OPTIONS) \
		--log-level=NOTICE
	@cmake --build $(BUILD)

check: ## style, all tests under the sanitizers of gcc and clang, real models, installation
	@tools/check

demo: all ## extract objects from the example texts with the model in this process
	@examples/demo $(BUILD)/structure

bench: ## ratios to peers, measured in the same run
	@bench/fetch-yyjson >/dev/null 2>&1 || echo 'yyjson could not be fetched: going on without it'
	@cmake -S . -B $(BUILD)/bench $(GENERATOR) -DCMAKE_BUILD_TYPE=Release -DSTRUCTURE_TESTS=OFF \
		-DSTRUCTURE_BENCH=ON $(OPTIONS) --log-level=NOTICE
	@cmake --build $(BUILD)/bench
	@cmake --build $(BUILD)/bench --target bench
	@python3 bench/start_up.py $(BUILD)/bench/structure
	@bench/fetch-peers >/dev/null 2>&1 || echo 'the peers could not be fetched: going on without them'
	@python3 bench/compare.py $(BUILD)/bench/bench/bench_schema

fuzz: ## run every fuzz target for FUZZ_SECONDS (30)
	@cmake -S . -B $(BUILD)/fuzz $(GENERATOR) -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_COMPILER=clang \
		-DSTRUCTURE_FUZZ=ON -DSTRUCTURE_TESTS=OFF -DSTRUCTURE_LLAMA=OFF \
		-DSTRUCTURE_SANITIZE=address,undefined --log-level=NOTICE
	@cmake --build $(BUILD)/fuzz
	@tools/fuzz $(BUILD)/fuzz $(FUZZ_SECONDS)

install: all ## install below PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean: ## remove build/
	@rm -rf $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1  /p' Makefile | while read -r target words; do \
		printf '  %-8s %s\n' "$$target" "$$words"; done

.PHONY: all check demo bench fuzz install clean help
