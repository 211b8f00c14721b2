.DEFAULT_GOAL := help
.PHONY: help show-deliveries show-redelivery show-large-artifact run demo demo-recovery stack stack-status stack-down test test-chaos test-stack test-observability test-chart test-cdk test-pipeline test-restore test-database image scan-image publish-image changelog test-schemathesis up down build generate lint format hooks

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: need-node ## Start Millrace here: installs, builds and runs everything
	@exec node infra/tooling/run.mjs

stack: need-node ## Start the stack: every service its own process, on real servers; needs Java, Go and Python, no Docker
	@exec node infra/tooling/stack.mjs

stack-status: need-node ## What of the stack is up
	@node infra/tooling/stack.mjs status

.PHONY: export stack-import
export: need-node ## Write what of the stopped standalone moves to a stack into the folder TO; needs pg_dump
	@exec node infra/tooling/export.mjs $(TO)

stack-import: need-node ## Fill a new stack with what make export wrote into the folder FROM; needs pg_restore
	@exec node infra/tooling/stack.mjs import $(FROM)

stack-down: need-node ## Stop the stack
	@node infra/tooling/stack.mjs down

test: need-node ## Install, lint, type-check and run every test
	@exec node infra/tooling/test.mjs

screenshots: need-node ## Draw every room of the console in both themes into docs/images/console (needs Chromium)
	@node infra/tooling/show-console.mjs screenshots

measure-console: need-node ## Measure the console in a browser: weight, first drawing, changes, graph, logs, memory
	@node infra/tooling/show-console.mjs numbers

demo: need-node ## The order example, told as it happens, with its trace drawn as text
	@exec node infra/tooling/demo/main.mjs

demo-recovery: need-node ## Kill a worker, the scheduler and PostgreSQL under payments, and see what happened
	@exec node infra/tooling/demo/main.mjs recovery

show-deliveries: need-node ## 10,000 webhooks to a receiver that fails at random: each arrives, under one id
	@npx tsc -b && MILLRACE_SHOW_DELIVERIES=10000 exec npx vitest run services/notification/tests/unreliable-receiver.test.ts

show-redelivery: need-node ## The events of 5,000 runs (RUNS) twice and shuffled to a consumer of metadata that is killed every few seconds
	@npx tsc -b && MILLRACE_SHOW_REDELIVERY=$(or $(RUNS),5000) exec npx vitest run services/metadata/tests/redelivery.test.ts

show-large-artifact: need-node ## An artifact of 5 GiB (SIZE_MIB) up and down in parts, interrupted and resumed, within 150 MB of memory
	@npx tsc -b && MILLRACE_SHOW_MIB=$(or $(SIZE_MIB),5120) exec node infra/tooling/test-ops.mjs - tests/ops/large-artifact.test.ts

test-chaos: need-node ## Kill processes, PostgreSQL and schedulers under load (an hour and more on a busy machine; CHAOS_SEEDS, CHAOS_POINTS)
	@npx tsc -b && exec npx vitest run -c vitest.chaos.config.ts

test-stack: need-node ## Run the end-to-end suite, the faults and the adapters' contracts on the stack's real servers
	@exec node infra/tooling/test-stack.mjs

.PHONY: test-kill-each
test-kill-each: need-node ## Kill each process of the stack in turn under load, with -9: all runs end, none is lost
	@exec node infra/tooling/test-stack.mjs kill-each

test-schemathesis: need-node ## Try every operation of the API against its OpenAPI document, with Schemathesis; needs Python
	@npx tsc -b && exec node infra/tooling/schemathesis.mjs $(ARGS)

.PHONY: test-schemathesis-stack
test-schemathesis-stack: ## The same on a stack, through Envoy
	@exec $(MAKE) test-schemathesis ARGS=--stack

.PHONY: test-clients
test-clients: need-node ## Clients that foreign generators make of the OpenAPI document run the order example; needs Python and Java
	@npx tsc -b && exec node infra/tooling/test-clients.mjs

test-observability: need-node ## Dashboards and alerts on a real Prometheus that scrapes a standalone under load
	@exec node infra/tooling/test-ops.mjs prometheus infra/prometheus/tests/ops

.PHONY: test-observability-stack
test-observability-stack: need-node ## The same on the stack: a real Prometheus scrapes every service of it under load
	@exec node infra/tooling/test-stack.mjs on-demand/prometheus

test-chart: need-node ## The Helm chart by a real Helm, against the schemas of Kubernetes; needs Go and Python
	@exec node infra/tooling/test-ops.mjs - infra/helm/tests/ops

test-cdk: need-node ## The AWS CDK app: synthesised, asserted, checked by cdk-nag and against compose.yml
	@npm ci --prefix infra/aws-cdk --ignore-scripts --no-audit --no-fund --silent
	@exec node infra/tooling/test-ops.mjs - infra/aws-cdk/tests/ops

test-pipeline: need-node ## The workflows of the pipeline, by actionlint; needs Go
	@exec node infra/tooling/test-ops.mjs - tests/ops/pipeline.test.ts

test-restore: need-node ## A standalone's backup, restored into an empty place: its runs go on
	@exec node infra/tooling/test-ops.mjs - tests/ops/restore.test.ts

.PHONY: test-move
test-move: need-node ## A standalone with runs under way, moved to a stack: all is there and goes on; needs what make stack needs
	@exec node infra/tooling/test-ops.mjs - tests/ops/move.test.ts

test-database: need-node ## Tests of packages and services on the PostgreSQL of DATABASE_URL (17 or 18) instead of the embedded one
	@test -n "$(DATABASE_URL)" || { echo "DATABASE_URL is not set" >&2; exit 1; }
	@npm ci --no-audit --no-fund && npx tsc -b && MILLRACE_TEST_DATABASE_SERVER="$(DATABASE_URL)" exec npx vitest run pkg services

image: ## Build the image of SERVICE as IMAGE
	@docker build --file infra/docker/Dockerfile --build-arg SERVICE=$(SERVICE) --tag $(IMAGE):local .

scan-image: ## Look for known vulnerabilities in IMAGE (or SOURCE, as syft names it), and write its SBOM; needs Go
	@go run github.com/anchore/syft/cmd/syft@v1.33.0 scan "$(or $(SOURCE),docker:$(IMAGE):local)" --output spdx-json=sbom-$(SERVICE).json
	@go run github.com/anchore/grype/cmd/grype@v0.100.0 sbom:sbom-$(SERVICE).json --fail-on high --only-fixed

publish-image: ## Push IMAGE with SBOM and provenance attached, scan what was pushed, and only then name it TAG; needs Go
	@echo "$(REGISTRY_TOKEN)" | docker login ghcr.io --username "$(REGISTRY_USER)" --password-stdin
	@mkdir -p .millrace && docker buildx create --use --name publish >/dev/null
	@docker buildx build --file infra/docker/Dockerfile --build-arg SERVICE=$(SERVICE) --sbom=true --provenance=mode=max --metadata-file .millrace/published.json --output type=image,name=$(IMAGE),push-by-digest=true,name-canonical=true,push=true .
	@digest=$$(node -p "require('./.millrace/published.json')['containerimage.digest']") && $(MAKE) scan-image SOURCE="registry:$(IMAGE)@$$digest" && docker buildx imagetools create --tag "$(IMAGE):$(TAG)" "$(IMAGE)@$$digest"

.PHONY: audit-verify
audit-verify: need-node ## Read the audit log through: of DATABASE_URL with MILLRACE_MASTER_KEY, or of the standalone in MILLRACE_DATA_DIR
	@npx tsc -b services/iam && exec node infra/tooling/audit-verify.mjs

changelog: ## What changed since the tag before TAG, as Markdown
	@node infra/tooling/changelog.mjs

up: ## Start everything in containers (Docker with Compose), with secrets made on the first start
	@node infra/tooling/compose-env.mjs
	@node infra/tooling/service-certificates.mjs
	@docker compose up --build --detach --wait

down: ## Stop the containers; their data stays
	@docker compose down

build: ## Compile everything
	@npx tsc -b

generate: ## Regenerate the types of proto/, Envoy's configuration, the console's API types and the configuration reference
	@node infra/tooling/generate-contracts.mjs
	@npx tsc -b pkg/routes
	@node infra/tooling/generate-envoy.mjs
	@node infra/tooling/generate-api-types.mjs
	@npx tsc -b && node infra/tooling/generate-configuration.mjs

lint: ## Lint, check formatting, and that regular expressions take linear time
	@npx biome check .
	@node infra/tooling/check-patterns.mjs

format: ## Fix what the linter can fix
	@npx biome check --write .

hooks: ## Check every commit before it is made
	@git config core.hooksPath infra/tooling/git-hooks

.PHONY: need-node
need-node:
	@command -v node >/dev/null || { echo "Millrace needs Node 20.20 or later, and there is no node here. See https://nodejs.org" >&2; exit 1; }

.PHONY: sim
sim: need-node ## Simulate schedulers under faults: SEEDS=n, or SEED=n to see one
	@SEEDS=$(SEEDS) SEED=$(SEED) FROM=$(FROM) node infra/tooling/simulate.mjs

.PHONY: load soak check-docs test-upgrade
load: need-node ## Load on a standalone of its own: ARGS='light burst fan-out mixed schedules'; a table here, plots in .millrace/load
	@npx tsc -b && exec node bench/dist/load/main.js $(ARGS)

soak: need-node ## An hour at half of capacity (LOAD_SECONDS; ARGS=--stack: on the stack); fails where one of its limits is broken (bench/README.md)
	@npx tsc -b && exec node bench/dist/load/main.js soak $(ARGS)

check-docs: need-node ## Links between documents, and the make targets that they name
	@node infra/tooling/check-docs.mjs

test-upgrade: need-node ## Data dirs made by earlier versions, with runs under way, opened by this one; needs the repository's history
	@exec node infra/tooling/test-ops.mjs - tests/ops/upgrade.test.ts
