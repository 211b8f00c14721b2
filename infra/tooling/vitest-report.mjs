// What a run of vitest left in its JSON report, for make test and make test-stack.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * On two busy cores a test that waits for something may run out of time. A few failed files get a second chance, alone;
 * what needed it is listed by name: such a test is to be mended, not trusted.
 */
const MOST_FILES_AGAIN = 4

export const reportersTo = (path) => ['--reporter=default', '--reporter=json', `--outputFile=${path}`]

/** How many passed and failed, the files that did not pass, and the names of the tests in them that failed. */
export function readReport(path, content) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTests, testResults } = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    // A file that could not even be loaded has no failed test, only a failed suite; an error outside any test has neither.
    const failures = numFailedTests || numFailedTestSuites || (content ? 0 : 1)
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

/** The result of a run and, where few files failed, of those again; `run` takes them and gives a report. */
export async function withSecondTry(root, first, run) {
  const { content, files, names, passed } = first
  if (content || files.length === 0 || files.length > MOST_FILES_AGAIN) return { ...first, secondTry: [] }
  console.log(`\n── again, alone: ${files.map((file) => relative(root, file)).join(', ')}`)
  const again = await run(files)
  if (!again.content) return { ...first, secondTry: [] }
  return { content: true, passed: passed + names.length, failed: 0, secondTry: names }
}

export function tellSecondTry(names) {
  if (names.length === 0) return
  console.log(`\npassed only at the second try:\n${names.map((name) => `  ${name}`).join('\n')}`)
}
