// Healthy = the service says it is ready, its own dependencies among that.
const { MILLRACE_SERVICE_PROBE_PORT, MILLRACE_SERVICE_HTTP_PORT } = process.env
const port = MILLRACE_SERVICE_PROBE_PORT || MILLRACE_SERVICE_HTTP_PORT || '8080'
const reply = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2_500) }).catch(
  () => undefined,
)
process.exit(reply?.ok ? 0 : 1)
