// Generates infra/envoy/envoy.yaml from the route table (the built pkg/routes), the same with TLS to the services for compose
// (envoy-tls.yaml) and with spans to the collector of compose (envoy-tls-traced.yaml), what tells Envoy of its certificate
// there, the Helm chart's copies, and what the chart adds where it is told of a collector (tracing.yaml).
// --check               fails if what is committed differs
// --out <file>          writes elsewhere
// --set <name>=<h:p>    another address for a listener (http, grpc) or a cluster
// --trusted-proxies, --cors-origins <list>, --tls-secret <file>   as MILLRACE_TRUSTED_PROXIES, MILLRACE_CORS_ORIGINS and
//                       TLS are for standalone; the file is Envoy's own (SDS) with the certificate and key named "edge"
// --service-tls         with TLS to the services, for --out; the certificate is expected in /etc/millrace/tls
// --tracing <url>       sends the gateway's spans to an OTLP collector, as http://collector:4318
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { buildEnvoyRoutes } from '../../pkg/routes/dist/index.js'
import { defaultAddresses, envoyConfig } from './envoy-config.mjs'
import { addEdge } from './envoy-edge.mjs'
import { addServiceTls, serviceSecrets } from './envoy-service-tls.mjs'
import { addTracing, samplePercent, tracingParts } from './envoy-tracing.mjs'

const own = 'infra/envoy'
// A chart holds all of its files: Helm packs no file from outside of it.
const chart = 'infra/helm/millrace/files'
const pathOf = (file) => fileURLToPath(new URL(`../../${file}`, import.meta.url))
const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    out: { type: 'string' },
    set: { type: 'string', multiple: true },
    tracing: { type: 'string' },
    'service-tls': { type: 'boolean' },
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
const plain = addEdge(envoyConfig(buildEnvoyRoutes(), addresses), edge)
const services = Object.keys(defaultAddresses).filter((name) => name !== 'http' && name !== 'grpc')
const secretFiles = {
  certificateFile: '/etc/envoy/service-certificate.yaml',
  authorityFile: '/etc/envoy/service-authority.yaml',
}
const encrypted = addServiceTls(plain, services, secretFiles)
// As compose.yml names its collector; the chart puts another in its place.
const collector = { endpoint: 'http://otel-collector:4318' }
const traced = addTracing(structuredClone(encrypted), collector)
const { certificate, authority } = serviceSecrets('/etc/millrace/tls')
if (values.tracing) {
  for (const document of [plain, encrypted]) {
    addTracing(document, { endpoint: values.tracing, percent: samplePercent(process.env) })
  }
}
const render = (document) => header + stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 })
const texts = {
  'envoy.yaml': render(plain),
  'envoy-tls.yaml': render(encrypted),
  'service-certificate.yaml': render(certificate),
  'service-authority.yaml': render(authority),
}
const committed = [
  ...[own, chart].flatMap((folder) =>
    Object.entries(texts).map(([name, text]) => ({ file: `${folder}/${name}`, text })),
  ),
  { file: `${own}/envoy-tls-traced.yaml`, text: render(traced) },
  { file: `${chart}/tracing.yaml`, text: render(tracingParts(collector)) },
]

function isStale({ file, text }) {
  try {
    return readFileSync(pathOf(file), 'utf8') !== text
  } catch {
    // Missing is stale.
    return true
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

if (values.check) {
  for (const { file } of committed.filter(isStale)) {
    console.error(`${file} is stale (run make generate)`)
    process.exitCode = 1
  }
} else if (values.out) write(values.out, texts[values['service-tls'] ? 'envoy-tls.yaml' : 'envoy.yaml'])
else for (const { file, text } of committed) write(pathOf(file), text)
