import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../../..')

export interface Query {
  /** Where it stands. */
  place: string
  expression: string
}

interface Rule {
  record?: string
  alert?: string
  expr: string
  annotations?: { runbook: string }
}

export const rulesFolder = join(root, 'infra/prometheus/rules')

const rules: Rule[] = ['records.yml', 'alerts.yml'].flatMap((file) =>
  parse(readFileSync(join(rulesFolder, file), 'utf8')).groups.flatMap((group: { rules: Rule[] }) => group.rules),
)

export const records = rules.filter((rule) => rule.record !== undefined)
export const alerts = rules.filter((rule) => rule.alert !== undefined)

export const ruleQueries: Query[] = rules.map(({ record, alert, expr }) => ({
  place: record ?? alert ?? '',
  expression: expr,
}))

interface Dashboard {
  title: string
  panels: { title: string; targets: { expr: string }[] }[]
}

const folder = join(root, 'infra/grafana/dashboards')

export const panelQueries: Query[] = readdirSync(folder).flatMap((file) => {
  const { title, panels } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard
  return panels.flatMap((panel) =>
    panel.targets.map(({ expr }) => ({ place: `${title} / ${panel.title}`, expression: expr })),
  )
})

const known = /\b(?:millrace|http_server|gateway|process|nodejs)_[a-z0-9_]+\b/g

/** The metrics that an expression reads, without the suffixes of histograms. Records are named with a colon. */
export function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '').replaceAll(/\bmillrace:[\w:]+/g, '')
  return [...new Set(bare.match(known) ?? [])].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
}

export const recordsIn = (expression: string): string[] => expression.match(/\bmillrace:[\w:]+/g) ?? []
