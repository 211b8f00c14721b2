// What a run of vitest left in its JSON report, for make test and make test-stack.
import { readFileSync } from 'node:fs'

export const reportersTo = (path) => ['--reporter=default', '--reporter=json', `--outputFile=${path}`]

/** How many passed and failed. */
export function readReport(path, content) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numTotalTests } = JSON.parse(
      readFileSync(path, 'utf8'),
    )
    // A file that could not even be loaded has no failed test, only a failed suite; an error outside any test has neither.
    const failures = numFailedTests || numFailedTestSuites || (content ? 0 : 1)
    return { passed: numPassedTests, failed: numTotalTests === 0 ? Math.max(failures, 1) : failures }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
