// What each setting means, by section of docs/reference/configuration.md. Names, defaults, kinds, ranges and readers come
// from the code; the generator fails on a setting that is missing here and on one that nothing reads.
// default: in words, where the code has none to show. unit: of a number. dynamic: the code's default differs by machine.

const gateway = {
  MILLRACE_PORT: { about: 'the gateway: console, API, docs' },
  MILLRACE_GRPC_PORT: { about: 'public gRPC: queries, dispatch for workers, logs' },
  MILLRACE_METRICS_PORT: {
    default: '9464, or a free port when that is taken',
    about:
      '`/metrics` of all processes, on 127.0.0.1 alone; the address is printed at start. A port that is set and taken is a fault',
  },
  MILLRACE_HOST: {
    about:
      'the address that the gateway and public gRPC listen on; any but a loopback address without TLS is warned of',
  },
  MILLRACE_PUBLIC_URL: {
    default: '`http://127.0.0.1:` and the port',
    about:
      'where people reach the platform: links in mail begin with it, and when it is set signed URLs of artifacts and the links to runs in notifications; `https` makes cookies `Secure`',
  },
  MILLRACE_TLS_CERT: {
    default: 'no TLS',
    about:
      'PEM file of the certificate for both ports, read anew when it changes; see [running](../guides/running.md#tls-proxies-and-browsers)',
  },
  MILLRACE_TLS_KEY: {
    default: 'no TLS',
    about: 'PEM file of its private key; the two are set together',
  },
  MILLRACE_TRUSTED_PROXIES: {
    about:
      'addresses and networks (`10.0.0.0/8`) whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed; from others both are ignored',
  },
  MILLRACE_CORS_ORIGINS: {
    about: 'origins (`https://app.example.org`) whose pages may call the API from a browser',
  },
  MILLRACE_CONSOLE_DIR: {
    default: '`web/dist`',
    dynamic: true,
    about: "the console's built files; without them `/` is 404",
  },
}

const stores = {
  MILLRACE_DATA_DIR: {
    about: 'everything that is kept: database, artifacts, mail, keys, logs. The stack uses `stack` in it',
  },
  MILLRACE_CACHE_DIR: { default: "the user's cache folder", about: 'large downloads and builds' },
  DATABASE_URL: {
    default: 'embedded PostgreSQL; required for a service that is started alone',
    about: 'your own PostgreSQL; one database, a schema and a role a service, where the account may create roles',
  },
  MILLRACE_DATABASE_POOL: { unit: 'connections', about: 'connections to PostgreSQL that the service keeps' },
  MILLRACE_MONGO_URL: {
    default: 'PostgreSQL',
    about: '`mongodb://host/database`: jobs, runs and logs are kept there',
  },
  MILLRACE_ARTIFACT_DIR: { default: '`artifacts` in the data dir', about: 'artifacts are kept there, unless in S3' },
  MILLRACE_S3_BUCKET: {
    default: 'files in the data dir',
    about: 'artifacts are kept in this bucket, made when missing',
  },
  MILLRACE_S3_ENDPOINT: { default: 'AWS', about: 'another S3 server, such as MinIO' },
  MILLRACE_S3_PUBLIC_URL: {
    default: 'the endpoint',
    about: 'where clients outside reach the same S3 server: signed URLs name it',
  },
  MILLRACE_S3_REGION: { about: 'its region' },
  MILLRACE_S3_ACCESS_KEY: { default: 'the usual places of the AWS SDK', about: 'set with the secret key, or neither' },
  MILLRACE_S3_SECRET_KEY: { default: 'the usual places of the AWS SDK', about: 'set with the access key, or neither' },
  MILLRACE_ARTIFACT_MAX_BYTES: { unit: 'bytes', about: 'the largest artifact' },
  MILLRACE_ARTIFACT_RETENTION_DAYS: {
    unit: 'days',
    default: 'kept for ever',
    about: 'artifacts are deleted after so long; those without a run only where their project says no age',
  },
  MILLRACE_ARTIFACT_ARCHIVED_RETENTION_DAYS: {
    unit: 'days',
    default: 'like all others',
    about: 'the same for artifacts of archived workflows, counted from the archiving',
  },
}

const identity = {
  MILLRACE_ADMIN_EMAIL: { about: 'the first admin, made at the first start' },
  MILLRACE_ADMIN_PASSWORD: { default: 'random, printed once', about: 'of the first admin, at least 12 characters' },
  MILLRACE_MASTER_KEY: {
    default: 'generated into the data dir, mode 0600; required for iam started alone',
    about: 'encrypts what is secret at rest',
  },
  MILLRACE_MASTER_KEY_PREVIOUS: {
    about: 'the master key before, while what it sealed is sealed anew: it opens and never seals',
  },
  MILLRACE_OPEN_REGISTRATION: {
    default: 'true while `MILLRACE_HOST` is a loopback address, else false',
    about: 'whether anybody may register',
  },
  MILLRACE_REQUIRE_VERIFIED_EMAIL: {
    about: 'nobody logs in before the [address is confirmed](../guides/accounts.md#links-by-mail)',
  },
  MILLRACE_QUOTA_PROJECTS: { unit: 'projects', about: 'projects that one user may create' },
  MILLRACE_OIDC_PROVIDERS: {
    default: 'none',
    about: 'JSON list of [identity providers](../guides/accounts.md#openid-connect) to log in with',
  },
  MILLRACE_ACCESS_TOKEN_TTL: { about: 'how long an access token is good' },
  MILLRACE_REFRESH_TOKEN_TTL: { about: 'how long a refresh token is good' },
  MILLRACE_SESSION_TTL: { about: 'when a session ends, however often it was refreshed' },
  MILLRACE_SIGNING_KEY_ROTATION: { about: 'how often the key that signs access tokens is replaced' },
  MILLRACE_CREDENTIAL_CACHE: { about: 'how long a checked credential is trusted without asking the database again' },
}

const rates = {
  MILLRACE_RATE_LIMIT_REQUESTS: { unit: 'requests a minute', about: 'of each caller' },
  MILLRACE_RATE_LIMIT_HOOKS: { unit: 'calls a minute', about: 'of one inbound hook' },
  MILLRACE_RATE_LIMIT_LOGIN_ACCOUNT: {
    unit: 'failures in 15 minutes',
    about:
      'failed logins for each account from one network (/24, /64), and as many with one device cookie; fifty times as many from all networks together',
  },
  MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: { unit: 'failures a minute', about: 'failed logins from each address' },
  MILLRACE_RATE_LIMIT_REGISTER_ADDRESS: {
    unit: 'requests a minute',
    about: 'registrations, and mail asked for without logging in, from each address',
  },
  MILLRACE_RATE_LIMIT_MAIL_RECIPIENT: {
    unit: 'mails an hour',
    about: 'mails of notifications that one person gets from a project; more are collected',
  },
}

const outgoing = {
  MILLRACE_ALLOW_PRIVATE_NETWORK: { about: 'let tasks and webhooks reach private addresses' },
  MILLRACE_EGRESS_ALLOW: { about: '`host:port` exceptions' },
  MILLRACE_SMTP_URL: { default: 'mail lands as `.eml` in the data dir', about: 'where mail is sent' },
  MILLRACE_MAIL_FROM: { default: '`Millrace <millrace@localhost>`', about: 'the sender of mail' },
  MILLRACE_MAIL_DIR: { default: '`mail` in the data dir', about: 'where mail lands without `MILLRACE_SMTP_URL`' },
  MILLRACE_WEBHOOK_RETRY_SCHEDULE: {
    default: '`1s,5s,15s,1m,5m,30m,2h,6h,15h`',
    about: 'waits between tries of a delivery',
  },
  MILLRACE_WEBHOOK_DISABLE_AFTER: {
    unit: 'deliveries',
    about:
      'a webhook whose last so many deliveries failed, for three days or more, is disabled and its owner told by mail',
  },
}

const work = {
  MILLRACE_WORKERS: { unit: 'processes', about: 'worker processes; 2 on the stack unless set' },
  MILLRACE_WORKER_CONCURRENCY: { unit: 'tasks', about: 'tasks at once in each' },
  MILLRACE_LEASE_MS: { unit: 'ms', about: 'how long a silent worker keeps its tasks' },
  MILLRACE_RETENTION: {
    about: 'how long ended runs are kept where neither workflow nor project says it; 0 keeps them for ever',
  },
  MILLRACE_RETENTION_INTERVAL: { about: 'how often is looked for runs past their time' },
  MILLRACE_BACKLOG_TASKS: { about: 'ready tasks from which on a queue of a project has a backlog (`queue.backlog`)' },
  MILLRACE_BACKLOG_WAIT: { about: 'how long its oldest ready task has waited when a queue has a backlog' },
  MILLRACE_WORKER_QUEUES: { about: 'the queues that the worker serves; `*` is all' },
  MILLRACE_WORKER_NAME: { default: 'host name and process id', dynamic: true, about: 'how the worker is listed' },
  MILLRACE_WORKER_API_KEY: {
    about: "a project's key: the worker then leases that project's tasks alone, and needs no service key",
  },
  MILLRACE_WORKER_LEASE_WAIT: { about: 'how long a request for tasks waits at the scheduler' },
  MILLRACE_WORKER_DRAIN_TIMEOUT: { about: 'how long running tasks may go on at a stop; `4s` on the stack unless set' },
  MILLRACE_WORKER_FLUSH_TIMEOUT: { about: 'how long the last results and log lines may take at a stop' },
  MILLRACE_WORKER_EXIT_WITH_PARENT: {
    about: 'end when the channel to the parent process closes; set by the supervisor',
  },
  WORKER_RESULTS: {
    default: '`events` with Kafka, else `dispatch`',
    about:
      'which transport a worker tries first for results: Kafka, or gRPC to the scheduler. Large outputs, hand-backs, and everything while Kafka is away go by gRPC',
  },
  MILLRACE_SHELL_ENABLED: { about: 'the `shell` executor' },
  MILLRACE_SHELL_PROJECTS: {
    about:
      'ids of the projects that may use it, once it is enabled; `*` is all of them, and has to be set where registration is open and `MILLRACE_HOST` is not loopback',
  },
  MILLRACE_SHELL_UID: {
    default: 'a user for each attempt',
    about: 'whom commands run as; needs a worker that runs as root; set with the group',
  },
  MILLRACE_SHELL_GID: { default: 'a group for each attempt', about: 'as which group commands run; set with the user' },
  MILLRACE_SHELL_ISOLATION: {
    about:
      '`none`: a worker that is not root may run commands with its own rights where nothing else is possible, [see there](../guides/executors.md#shell)',
  },
}

const processes = {
  MILLRACE_LOG_LEVEL: { about: 'of every process' },
  MILLRACE_NODE: {
    about:
      "`bundled`: where the Node at hand is older than 24, Millrace's processes run on a Node 24 that `make run` fetches once from npm (Linux on x64 and arm64, Windows on x64; 45 MB, 190 MB on disk), and the start says so; where it is missing or does not run, on the Node at hand. `system`: always the Node at hand, and nothing is fetched",
  },
  MILLRACE_HANG_MS: {
    unit: 'ms',
    about:
      'a process that gives no sign of life for so long (its event loop is blocked, or it was stopped) is ended and started again; counted in `process_hangs_total`',
  },
  MILLRACE_CHILD_CRASHES: {
    unit: 'crashes a minute',
    about: 'a process that dies more often than this is not started again: everything stops',
  },
  MILLRACE_SCHEDULER_PROFILE: { about: 'presets of the scheduler, [see below](#profiles)' },
  MILLRACE_SCHEDULER_CACHED_PLANS: { unit: 'definitions', about: 'compiled definitions kept in memory' },
}

const profile = {
  MILLRACE_SCHEDULER_SHARDS: { setting: 'shards', about: 'batches that are decided and written at once' },
  MILLRACE_SCHEDULER_MAX_BATCH: { setting: 'maxBatch', about: 'commands that one statement writes at most' },
  MILLRACE_SCHEDULER_CACHED_RUNS: { setting: 'cachedRuns', about: 'runs kept in memory' },
  MILLRACE_SCHEDULER_SYNC_MATCH: {
    setting: 'syncMatch',
    about: 'a ready task goes to a waiting worker in the commit that made it ready; else through the queue',
  },
  MILLRACE_SCHEDULER_POLL_MS: {
    setting: 'pollMs',
    unit: 'ms',
    about: 'how often waiting workers poll the queue unasked; what another scheduler queued is seen so',
  },
  MILLRACE_SCHEDULER_HINT_MS: {
    setting: 'hintWithinMs',
    unit: 'ms',
    about: 'how long readers of events may be left without a hint',
  },
}

const events = {
  MILLRACE_EVENTS: {
    about:
      '`postgres`: the log table carries events. `kafka`: it is the outbox, and a relay in each service carries them to Kafka',
  },
  MILLRACE_KAFKA_BROKERS: { about: '`host:port` of brokers; required with `kafka`' },
  MILLRACE_KAFKA_PREFIX: { about: 'before the name of each topic and group, where a cluster is shared' },
  MILLRACE_KAFKA_SSL: { about: 'TLS to the brokers' },
  MILLRACE_KAFKA_SASL: { about: 'how to log in; with user name and password' },
  MILLRACE_KAFKA_USERNAME: { about: 'required with `MILLRACE_KAFKA_SASL`' },
  MILLRACE_KAFKA_PASSWORD: { about: 'required with `MILLRACE_KAFKA_SASL`' },
}

const between = {
  MILLRACE_SERVICE_KEY: {
    about:
      'the private key of this service: EC P-256, PEM, or base64 of DER (PKCS #8) in one line; not for a worker with an API key',
  },
  MILLRACE_SERVICE_PUBLIC_KEYS: {
    about: 'the public keys of all: `iam=<base64 of DER>,workflow=…`; a name may stand twice while its key is replaced',
  },
  MILLRACE_TLS_SERVICE_CERT: {
    default: 'no TLS between services',
    about:
      'PEM file of this service’s certificate, with the DNS name `<service>.millrace.internal`; every listener then takes callers with a certificate alone. Read anew when it changes; see [security](../security.md#tls-between-services)',
  },
  MILLRACE_TLS_SERVICE_KEY: {
    default: 'no TLS between services',
    about: 'PEM file of its private key; the three files are set together',
  },
  MILLRACE_TLS_SERVICE_CA: {
    default: 'no TLS between services',
    about:
      'PEM file of the authorities that certificates of services and gateway come from; several while one is replaced',
  },
  MILLRACE_SERVICE_PROBE_PORT: {
    default: 'none',
    about:
      'with TLS: `/healthz`, `/readyz` and `/metrics`, and nothing else, in the clear, for whoever probes without a certificate. A worker has them on its HTTP port',
  },
  MILLRACE_WORKFLOW_KEY: {
    default: 'derived from the master key',
    about: 'encrypts the secrets by which hooks verify their callers',
  },
  MILLRACE_WORKFLOW_KEY_PREVIOUS: {
    about: 'the one before, while the master key is replaced; else derived from the master key before',
  },
  MILLRACE_NOTIFICATION_KEY_PREVIOUS: { about: 'the same' },
  MILLRACE_ARTIFACT_KEY_PREVIOUS: { about: 'the same: URLs that it signed still work' },
  MILLRACE_NOTIFICATION_KEY: {
    default: 'derived from the master key',
    about: 'encrypts what subscriptions keep secret',
  },
  MILLRACE_ARTIFACT_KEY: {
    default: 'derived from the master key',
    about: 'signs URLs of artifacts kept in files; not needed with S3',
  },
  MILLRACE_SERVICE_HOST: { about: 'the address that the service listens on' },
  MILLRACE_SERVICE_HTTP_PORT: { about: 'HTTP, health and `/metrics`; 0 is a free port' },
  MILLRACE_SERVICE_GRPC_PORT: { about: 'the listener for other services' },
  MILLRACE_SERVICE_PUBLIC_GRPC_PORT: { about: 'the listener for clients and workers' },
  MILLRACE_IAM_GRPC: { about: 'where iam listens for services' },
  MILLRACE_WORKFLOW_GRPC: { about: 'where workflow listens for services' },
  MILLRACE_SCHEDULER_GRPC: { about: 'where schedulers listen for services; several with commas' },
  MILLRACE_SCHEDULER_PUBLIC_GRPC: { about: 'where schedulers listen for workers; several with commas' },
  MILLRACE_METADATA_GRPC: { about: 'where metadata listens for log lines' },
  MILLRACE_ARTIFACT_URL: {
    about:
      'the artifact service: where the scheduler keeps outputs over 64 KiB, and the worker the files of `shell`; without it outputs of any size stay in the database',
  },
  MILLRACE_READY_DEPENDENCIES: {
    about:
      "what the gateway's `/readyz` asks: `name=http://…/readyz` or `name=grpc://host:port`; of several under one name one is enough",
  },
}

const setupPasswords = Object.fromEntries(
  ['IAM', 'WORKFLOW', 'SCHEDULER', 'METADATA', 'NOTIFICATION', 'ARTIFACT'].map((name) => [
    `${name}_DATABASE_PASSWORD`,
    { about: `of the database role of ${name.toLowerCase()}, at least 16 characters` },
  ]),
)

/** Read by libraries or by tools, past every config.ts. */
export const outside = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: '–',
    about:
      "sends traces there, by OTLP over HTTP; also those of the stack's gateway, unless the collector is behind TLS. Envoy elsewhere: `infra/tooling/generate-envoy.mjs --tracing <url>`",
  },
  OTEL_TRACES_SAMPLER: {
    default: '`parentbased_always_on`',
    about: 'which requests are traced, as OpenTelemetry defines it',
  },
  OTEL_TRACES_SAMPLER_ARG: { default: '–', about: 'its argument, such as the share of requests' },
}

export const sections = [
  { title: 'Gateway and addresses', settings: gateway },
  { title: 'What is kept, and where', settings: stores },
  { title: 'Identity', settings: identity },
  { title: 'Rates', settings: rates },
  { title: 'Mail, webhooks and other outgoing calls', settings: outgoing },
  { title: 'Work', settings: work },
  { title: 'Processes', settings: processes },
  {
    title: 'Events',
    intro: 'Each service reads these. `make run` always keeps its events in PostgreSQL; the stack always uses Kafka.',
    settings: events,
    outro:
      'Topics, their partitions, retention and compaction stand in `infra/kafka/topics.yaml`; what is missing is created at start.',
  },
  {
    title: 'Between services',
    intro:
      'Set by the supervisors of `make run` and `make stack`, and by `make up` in `.env`; to be set by hand for a service that is started alone. On the stack `MILLRACE_TLS_SERVICES` (`true` or `false`, default `false`) makes certificates for all services and the gateway, in the data dir.',
    settings: between,
  },
  {
    title: 'Setup of the database',
    intro: 'Read by `services/setup`, which makes schemas and roles for `make up`.',
    settings: setupPasswords,
  },
]

export const profileSection = profile
