.DEFAULT_GOAL := help
.PHONY: help build generate lint format

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## Compile everything
	@npx tsc -b

generate: ## Regenerate types from proto/
	@node infra/tooling/generate-contracts.mjs

lint: ## Lint and check formatting
	@npx biome check .

format: ## Fix what the linter can fix
	@npx biome check --write .
