// make test: every check of the repository, then every test. Ends with one line: "N passed, N failed".
import './check-node.mjs'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
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

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'))

/** One run of vitest: whether it was content, how many passed and failed, and the files that did not pass. */
function runTests(name, args) {
  const report = join(folder, `${name}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
  const content = runNode([bin('vitest/vitest.mjs'), 'run', ...reporters, ...args])
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    )
    // A file that could not even be loaded has no failed test, only a failed suite.
    const failures = numFailedTests > 0 ? numFailedTests : numFailedTestSuites
    const failed = numTotalTests === 0 ? Math.max(failures, 1) : failures
    const files = testResults.filter(({ status }) => status === 'failed').map((result) => result.name)
    const names = testResults.flatMap(({ assertionResults }) =>
      assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    )
    return { content, passed: numPassedTests, failed, files, names }
  } catch {
    return { content, passed: 0, failed: 1, files: [], names: [] }
  }
}

// On two busy cores a test that waits for something may run out of time. A few failed files get a second chance, alone;
// what needed it is listed by name: such a test is to be mended, not trusted.
const MOST_FILES_AGAIN = 4

console.log('\n── tests')
let tests = runTests('all', process.argv.slice(2))
let secondTry = []
if (!tests.content && tests.files.length > 0 && tests.files.length <= MOST_FILES_AGAIN) {
  console.log(`\n── again, alone: ${tests.files.map((file) => relative(root, file)).join(', ')}`)
  const again = runTests('again', ['--maxWorkers=1', ...tests.files])
  if (again.content) {
    secondTry = tests.names
    tests = { content: true, passed: tests.passed + tests.names.length, failed: 0 }
  }
}
rmSync(folder, { recursive: true, force: true })
// An error outside any test makes vitest fail while every test passed.
const stray = !tests.content && tests.failed === 0 ? 1 : 0
const passed = tests.passed + checks.length - failedChecks.length
const failed = tests.failed + stray + failedChecks.length
if (failedChecks.length > 0) console.log(`\nfailed checks: ${failedChecks.map(([name]) => name).join(', ')}`)
if (secondTry.length > 0)
  console.log(`\npassed only at the second try:\n${secondTry.map((name) => `  ${name}`).join('\n')}`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
