import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectProcessMetrics, metricsText } from '@millrace/telemetry'
import { expect, test } from 'vitest'
import { runbooks } from '../../aws-cdk/src/runbooks.js'
import { alerts, metricsIn, panelQueries, records, recordsIn, ruleQueries } from './queries.js'

const root = join(import.meta.dirname, '../../..')

/** Every metric that the code declares, and those of the process. */
async function declaredMetrics(): Promise<Set<string>> {
  collectProcessMetrics()
  const process = [...(await metricsText()).matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? '')
  const sources = ['pkg', 'services'].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) => {
      const folder = join(root, parent, name, 'src')
      if (!existsSync(folder)) return []
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
    }),
  )
  const code = sources.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const named = code.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/name: '([a-z]+_[a-z0-9_]+)'/g)])
  return new Set([...process, ...named.map((match) => match[1] ?? '')])
}

test('every panel and every rule reads metrics that the code declares, and records that are there', async () => {
  const declared = await declaredMetrics()
  const recorded = new Set(records.map(({ record }) => record))
  for (const { place, expression } of [...panelQueries, ...ruleQueries]) {
    for (const metric of metricsIn(expression))
      expect([place, metric, declared.has(metric)]).toEqual([place, metric, true])
    for (const record of recordsIn(expression))
      expect([place, record, recorded.has(record)]).toEqual([place, record, true])
  }
})

test('every alert has a runbook, and every runbook an alert, or an alarm on AWS', () => {
  const named = new Set([...alerts.map(({ annotations }) => annotations?.runbook ?? ''), ...Object.values(runbooks)])
  const found = readdirSync(join(root, 'docs/runbooks')).filter((name) => name !== 'README.md')
  expect([...named].sort()).toEqual(found.map((name) => `docs/runbooks/${name}`).sort())
  for (const name of found) {
    const text = readFileSync(join(root, 'docs/runbooks', name), 'utf8')
    for (const part of ['## What it means', '## See', '## Do'])
      expect([name, text.includes(part)]).toEqual([name, true])
    for (const { alert, annotations } of alerts.filter((rule) => rule.annotations?.runbook.endsWith(`/${name}`))) {
      expect([annotations?.runbook, text.includes(`${alert}`)]).toEqual([annotations?.runbook, true])
    }
  }
})

test('dashboards are fresh', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'infra/grafana/generate.mjs'), '--check'], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
})
