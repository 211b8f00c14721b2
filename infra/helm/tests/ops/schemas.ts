import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'

const schemas = 'kubernetes-validate==1.37.0'
/** The oldest and the newest Kubernetes that the chart is for; the oldest stands in Chart.yaml too. */
export const versions = ['1.30.0', '1.37.0'] as const

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: what the schemas check
  [field: string]: any
}

export type Check = (manifest: Manifest) => string[]

/** The API's own schemas, strict: an unknown field is a fault. A package of PyPI carries them for every version. */
export async function kubernetesSchemas(): Promise<string> {
  const folder = await cached('kubernetes-validate-1.37.0', (draft) =>
    runTool('python3', ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', draft, schemas], {
      purpose: 'to check the chart against the schemas of Kubernetes',
    }),
  )
  return join(folder, 'kubernetes_validate/kubernetes-json-schema')
}

/** Schemas of custom resources, from the modules of those who own them. */
const owners = [
  { module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0', folder: 'example/prometheus-operator-crd' },
  { module: 'github.com/kedacore/keda/v2@v2.21.0', folder: 'config/crd/bases' },
  { module: 'sigs.k8s.io/gateway-api@v1.4.0', folder: 'config/crd/standard' },
  { module: 'github.com/cert-manager/cert-manager@v1.19.1', folder: 'deploy/crds' },
]

const used = new Set(['PodMonitor', 'PrometheusRule', 'ScaledObject', 'HTTPRoute', 'GRPCRoute', 'Certificate'])

export function customResources(): Map<string, ValidateFunction> {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  const found = new Map<string, ValidateFunction>()
  for (const { module, folder } of owners) {
    const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' }))
    for (const file of readdirSync(join(Dir, folder)).filter((name) => name.endsWith('.yaml'))) {
      for (const document of parseAllDocuments(readFileSync(join(Dir, folder, file), 'utf8'))) {
        const { kind, spec } = document.toJS() ?? {}
        if (kind !== 'CustomResourceDefinition' || !used.has(spec.names.kind)) continue
        for (const version of spec.versions) {
          const key = `${spec.group}/${version.name}/${spec.names.kind}`
          found.set(key, ajv.compile(closed(version.schema.openAPIV3Schema)))
        }
      }
    }
  }
  return found
}

/** An API server drops unknown fields of a custom resource in silence; here they are faults. */
// biome-ignore lint/suspicious/noExplicitAny: a JSON schema
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  // Go's own way to write a pattern that does not mind case.
  if (typeof copy.pattern === 'string' && copy.pattern.includes('(?i)')) delete copy.pattern
  const isOpen = copy['x-kubernetes-preserve-unknown-fields'] || copy.additionalProperties !== undefined
  return copy.type === 'object' && copy.properties && !isOpen && !copy.properties.metadata
    ? { ...copy, additionalProperties: false }
    : copy
}

export async function checker(version: string, custom: Map<string, ValidateFunction>): Promise<Check> {
  const folder = join(await kubernetesSchemas(), `v${version}-local-strict`)
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(JSON.parse(readFileSync(join(folder, '_definitions.json'), 'utf8')), '/api/_definitions.json')
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = ({ apiVersion, kind }: Manifest): ValidateFunction | undefined => {
    const own = custom.get(`${apiVersion}/${kind}`)
    if (own) return own
    const group = apiVersion.replace(/\.k8s\.io\//, '/').replace('/', '-')
    const file = join(folder, `${kind.toLowerCase()}-${group}.json`)
    if (!existsSync(file)) return undefined
    const validate = compiled.get(file) ?? ajv.compile(JSON.parse(readFileSync(file, 'utf8')))
    compiled.set(file, validate)
    return validate
  }
  return (manifest) => {
    const name = `${manifest.kind} ${manifest.metadata.name}`
    const validate = validatorOf(manifest)
    if (!validate) return [`${name}: ${manifest.apiVersion} is unknown to Kubernetes ${version}`]
    return validate(manifest) ? [] : (validate.errors ?? []).map((e) => `${name}${e.instancePath}: ${e.message}`)
  }
}
