import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { cached, runTool } from '@millrace/stack-servers'
import { parseAllDocuments } from 'yaml'
import type { Manifest } from './schemas.js'

const version = 'v3.22.0'
export const chart = join(import.meta.dirname, '../../millrace')
export const valuesFile = (name: string): string => join(import.meta.dirname, '../values', `${name}.yaml`)

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
