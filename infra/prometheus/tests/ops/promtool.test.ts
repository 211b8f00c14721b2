import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { alerts, rulesFolder } from '../queries.js'

const root = join(import.meta.dirname, '../../../..')
const committed = join(root, 'infra/prometheus/prometheus.yml')
/** Where compose.yml mounts the folder of rules. */
const mounted = '/etc/prometheus/rules'

function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' })
  if (error) throw new Error(`promtool cannot be run (${error.message}). It comes with Debian's package prometheus.`)
  return { status, output: stdout + stderr }
}

const ruleFiles = readdirSync(rulesFolder).map((name) => join(rulesFolder, name))

/** With the rules of this folder: a pattern that finds no file would be accepted, and the container's path finds none here. */
function checkConfig(change = (text: string) => text): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-promtool-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'prometheus.yml')
  writeFileSync(file, change(readFileSync(committed, 'utf8')).replaceAll(mounted, rulesFolder))
  return promtool('check', 'config', file)
}

test('promtool accepts the configuration of the compose profile, and finds every file of rules by it', () => {
  expect(promtool('check', 'config', committed)).toMatchObject({ status: 0 })
  const { status, output } = checkConfig()
  expect(status, output).toBe(0)
  for (const file of ruleFiles) expect(output).toContain(`Checking ${file}`)
  expect(output).toContain(`${ruleFiles.length} rule files found`)
  const { services } = parse(readFileSync(join(root, 'compose.yml'), 'utf8'))
  expect(services.prometheus.volumes).toContain(`./infra/prometheus/rules:${mounted}:ro`)
  expect(services.prometheus.volumes).toContain('./infra/prometheus/prometheus.yml:/etc/prometheus/prometheus.yml:ro')
})

test('and refuses one with a field that Prometheus does not know', () => {
  const { status, output } = checkConfig((text) => text.replace('scrape_interval', 'scrape_intervall'))
  expect(status, output).not.toBe(0)
  expect(output).toContain('scrape_intervall')
})

test('promtool accepts the rules', () => {
  const { status, output } = promtool('check', 'rules', ...ruleFiles)
  expect(status, output).toBe(0)
})

test('promtool sees every alert fire on its fault, and stay silent without it', () => {
  const files = ['rules.test.yml', 'rules-slow.test.yml'].map((name) => join(import.meta.dirname, '..', name))
  const { status, output } = promtool('test', 'rules', ...files)
  expect(status, output).toBe(0)
  const text = files.map((file) => readFileSync(file, 'utf8')).join('')
  for (const { alert } of alerts) expect(text.split(`alertname: ${alert}\n`).length - 1, alert).toBe(2)
}, 300_000)
