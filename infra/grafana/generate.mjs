// Writes dashboards/*.json from panels.mjs. `--check` writes nothing and fails when a file is not fresh.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dashboards, streams } from './panels.mjs'

const folder = fileURLToPath(new URL('./dashboards/', import.meta.url))
const datasource = { type: 'prometheus', uid: 'prometheus' }
const columns = 3

const target = ([expr, legendFormat], i) => ({
  refId: String.fromCharCode(65 + i),
  datasource,
  expr: expr.replaceAll('$streams', streams),
  legendFormat,
  // Points of a histogram lead to a trace.
  exemplar: expr.includes('_bucket'),
})

const toPanel = ({ title, unit, queries }, i) => ({
  id: i + 1,
  type: 'timeseries',
  title,
  datasource,
  gridPos: { x: (i % columns) * 8, y: Math.floor(i / columns) * 8, w: 8, h: 8 },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 8, showPoints: 'never' } }, overrides: [] },
  options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
  targets: queries.map(target),
})

const variable = ([name, query]) => ({
  name,
  type: 'query',
  datasource,
  definition: query,
  query: { query, refId: name },
  refresh: 2,
  sort: 1,
})

const toDashboard = (name, { title, panels, variables = {} }) => ({
  uid: `millrace-${name}`,
  title,
  tags: ['millrace'],
  schemaVersion: 39,
  editable: false,
  refresh: '15s',
  time: { from: 'now-1h', to: 'now' },
  links: [{ type: 'dashboards', tags: ['millrace'], asDropdown: true, title: 'Millrace', keepTime: true }],
  templating: { list: Object.entries(variables).map(variable) },
  panels: panels.map(toPanel),
})

const wanted = new Map(
  Object.entries(dashboards).map(([name, spec]) => [
    `${name}.json`,
    `${JSON.stringify(toDashboard(name, spec), null, 1)}\n`,
  ]),
)
const found = new Map(readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')]))
const stale = [...new Set([...wanted.keys(), ...found.keys()])].filter((name) => wanted.get(name) !== found.get(name))
if (!process.argv.includes('--check')) for (const [name, text] of wanted) writeFileSync(folder + name, text)
else if (stale.length > 0) {
  console.error(`not fresh: ${stale.join(', ')}; run node infra/grafana/generate.mjs`)
  process.exit(1)
}
