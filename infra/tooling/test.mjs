// make test: every check of the repository, then every test. Ends with one line: "N passed, N failed".
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureChromium } from './ensure-chromium.mjs'
import { readReport, reportersTo } from './vitest-report.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureInstalled, ensureRuntime } = await import('./workspace.mjs')
await ensureInstalled(root)
// One test starts the product on it.
await ensureRuntime(root)

const bin = (path) => join(root, 'node_modules', path)
const tooling = (name) => join(root, 'infra/tooling', name)
const checks = [
  ['lint', [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']],
  ['patterns are linear', [tooling('check-patterns.mjs')]],
  ['contracts are fresh', [tooling('generate-contracts.mjs'), '--check']],
  ['build', [bin('typescript/bin/tsc'), '-b']],
  ['envoy configuration is fresh', [tooling('generate-envoy.mjs'), '--check']],
  ['configuration reference is fresh', [tooling('generate-configuration.mjs'), '--check']],
  ['API types of the console', [tooling('generate-api-types.mjs')]],
  ['types of the console', [bin('typescript/bin/tsc'), '-p', 'web']],
  ['build of the console', [tooling('build-console.mjs')]],
  ['types of tests', [bin('typescript/bin/tsc'), '-p', 'tsconfig.tests.json', '--noEmit']],
].filter(([, args]) => existsSync(args[0]))

function runNode(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}

const failedChecks = checks.filter(([name, args]) => {
  console.log(`\n── ${name}`)
  return !runNode(args)
})

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))

ensureChromium()
console.log('\n── tests')
const report = join(folder, 'report.json')
const tests = readReport(
  report,
  runNode([bin('vitest/vitest.mjs'), 'run', ...reportersTo(report), ...process.argv.slice(2)]),
)
rmSync(folder, { recursive: true, force: true })
const passed = tests.passed + checks.length - failedChecks.length
const failed = tests.failed + failedChecks.length
if (failedChecks.length > 0) console.log(`\nfailed checks: ${failedChecks.map(([name]) => name).join(', ')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
