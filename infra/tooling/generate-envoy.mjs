// Generates infra/envoy/envoy.yaml from the route table (the built pkg/routes), and the Helm chart's copy of it.
// --check               fails if what is committed differs
// --out <file>          writes elsewhere
// --set <name>=<h:p>    another address for a listener (http, grpc) or a cluster
// --trusted-proxies, --cors-origins <list>, --tls-secret <file>   as MILLRACE_TRUSTED_PROXIES, MILLRACE_CORS_ORIGINS and
//                       TLS are for standalone; the file is Envoy's own (SDS) with the certificate and key named "edge"
// --tracing <url>       sends the gateway's spans to an OTLP collector, as http://collector:4318
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { buildEnvoyRoutes } from '../../pkg/routes/dist/index.js'
import { defaultAddresses, envoyConfig } from './envoy-config.mjs'
import { addEdge } from './envoy-edge.mjs'
import { addTracing, samplePercent } from './envoy-tracing.mjs'

// A chart holds all of its files: Helm packs no file from outside of it.
const committed = ['infra/envoy/envoy.yaml', 'infra/helm/millrace/files/envoy.yaml']
const pathOf = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    out: { type: 'string' },
    set: { type: 'string', multiple: true },
    tracing: { type: 'string' },
    'trusted-proxies': { type: 'string', default: '' },
    'cors-origins': { type: 'string', default: '' },
    'tls-secret': { type: 'string' },
  },
})

const addresses = { ...defaultAddresses }
for (const entry of values.set ?? []) {
  const [name, address] = entry.split('=', 2)
  if (!Object.hasOwn(defaultAddresses, name) || !/^.+:\d+$/.test(address ?? '')) {
    console.error(`--set ${entry}: expected one of ${Object.keys(defaultAddresses).join(', ')}, as name=host:port`)
    process.exit(1)
  }
  addresses[name] = address
}

const header =
  '# Generated from the route table by infra/tooling/generate-envoy.mjs; change that, or pkg/routes, instead.\n'
const listOf = (text) =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
const edge = {
  tlsFile: values['tls-secret'],
  trustedProxies: listOf(values['trusted-proxies']),
  corsOrigins: listOf(values['cors-origins']),
}
const document = addEdge(envoyConfig(buildEnvoyRoutes(), addresses), edge)
if (values.tracing) addTracing(document, { endpoint: values.tracing, percent: samplePercent(process.env) })
const text = header + stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })

function isStale(file) {
  try {
    return readFileSync(pathOf(file), 'utf8') !== text
  } catch {
    // Missing is stale.
    return true
  }
}

if (values.check) {
  for (const file of committed.filter(isStale)) {
    console.error(`${file} is stale (run make generate)`)
    process.exitCode = 1
  }
} else {
  for (const out of values.out ? [values.out] : committed.map(pathOf)) {
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(out, text)
  }
}
