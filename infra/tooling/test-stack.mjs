// make test-stack: the adapters' contract suites on real servers, then one stack on free ports and a temporary data dir,
// and on it the end-to-end suite and the faults. Ends with one line: "N passed, N failed". An argument picks files by name.
import './check-node.mjs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureChromium } from './ensure-chromium.mjs'
import { startStack, stopStack } from './temporary-stack.mjs'
import { readReport, reportersTo } from './vitest-report.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { ensureBuilt, ensureConsoleBuilt, ensureInstalled, ensureRuntime } = await import('./workspace.mjs')
await ensureInstalled(root)
await ensureRuntime(root)
await ensureBuilt(root)
await ensureConsoleBuilt(root)
ensureChromium()

const picked = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'millrace-stack-'))
chmodSync(folder, 0o711)

const testsIn = (path) =>
  existsSync(join(root, path))
    ? readdirSync(join(root, path))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(path, name))
    : []
const contracts = ['pkg', 'services', 'infra'].flatMap((parent) =>
  readdirSync(join(root, parent)).flatMap((name) => testsIn(join(parent, name, 'tests', 'stack'))),
)

/** End-to-end files that are not for a stack, and why. All others run on it; what of them needs a standalone says so itself. */
const notForTheStack = {
  'audited-mutations.test.ts': 'drains the worker and replaces the signing key, which all other files need',
  'crash.test.ts': 'kills and restarts a standalone of its own; the faults below do so to the stack',
  'chaos-smoke.test.ts': 'plays faults on a standalone of its own',
  'demo.test.ts': 'starts standalones of its own',
  'executors.test.ts':
    'needs a deployment that allows shell tasks and private addresses, which the hostile suite must not find',
  'load.test.ts': 'loads a standalone of its own',
}

function endToEnd() {
  const all = testsIn('tests')
  const known = new Set(all.map((file) => basename(file)))
  const unknown = Object.keys(notForTheStack).filter((name) => !known.has(name))
  if (unknown.length > 0) throw new Error(`test-stack leaves out files that are not there: ${unknown.join(', ')}`)
  for (const [name, why] of Object.entries(notForTheStack)) console.log(`left out: tests/${name} ${why}`)
  return all.filter((file) => !(basename(file) in notForTheStack))
}

/** The walk through the rooms. What the others look at does not depend on what is behind the gateway. */
const consoleFiles = ['stack-walk', 'newcomer', 'runs', 'operations', 'maps', 'owner', 'sessions'].map((name) =>
  join('tests', 'console', `${name}.test.ts`),
)

async function runTests(title, files, env) {
  const chosen = files.filter((file) => picked.length === 0 || picked.some((name) => file.includes(name)))
  if (chosen.length === 0) return { title, passed: 0, failed: 0 }
  console.log(`\n── ${title}`)
  const started = Date.now()
  const result = await runVitest(title, chosen, env)
  return { title, seconds: Math.round((Date.now() - started) / 1000), ...result }
}

async function runVitest(title, files, env) {
  const report = join(folder, `${title.replaceAll(' ', '-')}.json`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(
    process.execPath,
    [vitest, 'run', '-c', 'vitest.stack.config.ts', ...reportersTo(report), ...files],
    {
      cwd: root,
      stdio: 'inherit',
      env: { MILLRACE_TEST_PATIENCE: '10', ...process.env, ...env },
    },
  )
  const [code] = await once(child, 'exit')
  return readReport(report, code === 0)
}

async function runAll() {
  const results = [await runTests('contracts of the adapters', contracts, {})]
  console.log('\n── the stack')
  const stack = await startStack(folder)
  // Whatever ends this process, the stack ends with it.
  const stop = () => stack.child.kill('SIGTERM')
  process.once('exit', stop)
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  try {
    results.push(await runTests('end to end', endToEnd(), stack.env))
    results.push(await runTests('console', consoleFiles, stack.env))
    results.push(await runTests('faults', testsIn(join('tests', 'stack')), stack.env))
    if (picked.length > 0) {
      results.push(await runTests('on demand', testsIn(join('tests', 'stack', 'on-demand')), stack.env))
    }
  } finally {
    const { code, left } = await stopStack(stack)
    console.log(`\nthe stack ended with ${code}, ${left.length} processes left`)
    results.push({ title: 'a clean end', passed: 1, failed: code === 0 && left.length === 0 ? 0 : 1 })
    process.off('exit', stop)
  }
  return results
}

let results
try {
  results = await runAll()
} catch (error) {
  results = [{ title: error.message, passed: 0, failed: 1 }]
}
const sum = (key) => results.reduce((all, result) => all + result[key], 0)
console.log('')
for (const { title, passed, failed, seconds } of results) {
  console.log(`  ${title.padEnd(28)}${passed} passed, ${failed} failed${seconds === undefined ? '' : `, ${seconds} s`}`)
}
if (sum('failed') === 0) rmSync(folder, { recursive: true, force: true })
else console.log(`\nlogs of the stack: ${join(folder, 'data', 'stack', 'logs')}`)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`)
process.exit(sum('failed') === 0 ? 0 : 1)
