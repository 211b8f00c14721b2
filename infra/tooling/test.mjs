// make test: every check of the repository, then every test. Ends with one line: "N passed, N failed".
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureInstalled } = await import('./workspace.mjs')
ensureInstalled(root)

const bin = (path) => join(root, 'node_modules', path)
const tooling = (name) => join(root, 'infra/tooling', name)
const checks = [
  ['lint', [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']],
  ['contracts are fresh', [tooling('generate-contracts.mjs'), '--check']],
  ['build', [bin('typescript/bin/tsc'), '-b']],
  ['envoy configuration is fresh', [tooling('generate-envoy.mjs'), '--check']],
  ['types of tests', [bin('typescript/bin/tsc'), '-p', 'tsconfig.tests.json', '--noEmit']],
].filter(([, args]) => existsSync(args[0]))

function runNode(args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0
}

const failedChecks = checks.filter(([name, args]) => {
  console.log(`\n── ${name}`)
  return !runNode(args)
})

console.log('\n── tests')
const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))
const report = join(folder, 'report.json')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
const testsRan = runNode([bin('vitest/vitest.mjs'), 'run', ...reporters, ...process.argv.slice(2)])

function readCounts() {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTests } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    // A file that could not even be loaded has no failed test, only a failed suite.
    const failed = numFailedTests > 0 ? numFailedTests : numFailedTestSuites
    return { passed: numPassedTests, failed: numTotalTests === 0 ? Math.max(failed, 1) : failed }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

const counts = readCounts()
rmSync(folder, { recursive: true, force: true })
// An error outside any test makes vitest fail while every test passed.
const stray = !testsRan && counts.failed === 0 ? 1 : 0
const passed = counts.passed + checks.length - failedChecks.length
const failed = counts.failed + stray + failedChecks.length
if (failedChecks.length > 0) console.log(`\nfailed checks: ${failedChecks.map(([name]) => name).join(', ')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
