// Says which regular expressions of the given files take more than linear time on some text. One such pattern on text of a
// user's choosing stops a whole process: on the event loop nothing can interrupt a match.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { parseAllDocuments, visit } from 'yaml'
import { collectPatterns, hasSqlPattern } from './collect-patterns.mjs'

/** Patterns that are made while the program runs, each with the reason why that is no way in for a user's text. */
const madeAtRuntime = new Map([
  ['pkg/routes/src/console-paths.ts', 'of constants; the same stands in infra/envoy/envoy.yaml, checked here'],
  ['services/standalone/src/gateway/gateway-config.ts', 'from infra/envoy/envoy.yaml, whose patterns are checked here'],
  ['services/worker/src/executors/shell/attempt-folder.ts', 'the prefix is a constant of another module'],
])

/** Undefined when every text of n characters takes time in proportion to n. */
export function faultOfPattern(source, flags) {
  // No repetition, no backtracking: a checker's start costs more than it would find.
  if (!/[*+{]/.test(source)) return undefined
  const result = checkSync(source, flags.replace('v', 'u'), { timeout: 20_000 })
  if (result.status === 'safe') return undefined
  const why = result.status === 'vulnerable' ? result.complexity.summary : `undecided (${result.error.kind})`
  return `/${source}/${flags}: ${why}`
}

/** @returns {string[]} one line for each finding: `path:line problem` */
export function checkFile(root, path, verdicts = new Map()) {
  const text = readFileSync(join(root, path), 'utf8')
  const { patterns, findings } = read(path, text)
  const faults = patterns.flatMap(({ line, source, flags }) => {
    const key = `${flags}/${source}`
    if (!verdicts.has(key)) verdicts.set(key, faultOfPattern(source, flags))
    const fault = verdicts.get(key)
    return fault === undefined ? [] : [`${path}:${line} ${fault}`]
  })
  const others = madeAtRuntime.has(path) ? [] : findings.map(({ line, problem }) => `${path}:${line} ${problem}`)
  return [...faults, ...others]
}

function read(path, text) {
  if (path.endsWith('.sql')) {
    return { patterns: [], findings: hasSqlPattern(text) ? [{ line: 1, problem: 'matches a pattern in SQL' }] : [] }
  }
  return path.endsWith('.yaml') ? readEnvoy(text) : collectPatterns(text, path)
}

/** Envoy's own matcher is linear; the Node gateway reads the same patterns with JavaScript's. */
function readEnvoy(text) {
  const patterns = []
  for (const document of parseAllDocuments(text)) {
    visit(document, {
      Pair(_, { key, value }) {
        if (key?.value !== 'regex') return
        const line = text.slice(0, value.range[0]).split('\n').length
        patterns.push({ line, source: `^(?:${value.value})$`, flags: '' })
      },
    })
  }
  return { patterns, findings: [] }
}
