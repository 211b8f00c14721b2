import { spawnSync } from 'node:child_process'
import { isAbsolute, join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from './schemas.js'

const version = 'v3.22.0'
export const chart = join(import.meta.dirname, '../../millrace')
/** Of a set of values that stands beside the tests, or a path of its own. */
export const valuesFile = (name: string): string =>
  isAbsolute(name) ? name : join(import.meta.dirname, '../values', `${name}.yaml`)

/** Built once, in a few minutes. */
export async function installHelm(): Promise<string> {
  const folder = await cached(`helm-${version}`, (draft) =>
    runTool('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
      env: { GOBIN: draft, GOFLAGS: '-buildvcs=false -modcacherw' },
      purpose: 'to build Helm, which renders the chart',
    }),
  )
  return join(folder, 'helm')
}

export interface Rendered {
  status: number | null
  stderr: string
  manifests: Manifest[]
}

export function render(helm: string, kubeVersion: string, values: string, set: string[] = []): Rendered {
  const settings = set.flatMap((value) => ['--set-json', value])
  const args = ['template', 'mr', chart, '--kube-version', kubeVersion, '-f', valuesFile(values), ...settings]
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 64 << 20 })
  const documents = status === 0 ? parseAllDocuments(stdout, { merge: true }) : []
  return { status, stderr, manifests: documents.map((document) => document.toJS()).filter(Boolean) }
}

export const kinds = (manifests: Manifest[], kind: string): Manifest[] => manifests.filter((one) => one.kind === kind)
export const named = (manifests: Manifest[], kind: string, name: string): Manifest => {
  const found = kinds(manifests, kind).find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
