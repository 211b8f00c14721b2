// make lint, make test: no regular expression of the code base may take more than linear time.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkFile } from './patterns/check-patterns.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const isTest = (path) => /\.(?:test|chaos)\.[a-z]+$/.test(path) || /(?:^|\/)(?:tests|bench|gen|testkit)\//.test(path)
const isSource = (path) => /\.(?:ts|tsx|mjs|js|sql)$/.test(path) || path === 'infra/envoy/envoy.yaml'

// New files count before they are committed.
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
const paths = listed
  .toString()
  .split('\n')
  .filter((path) => isSource(path) && !isTest(path) && existsSync(join(root, path)))
const verdicts = new Map()
const findings = paths.flatMap((path) => checkFile(root, path, verdicts))
for (const finding of findings) console.error(finding)
console.log(`${verdicts.size} patterns in ${paths.length} files, ${findings.length} of them not linear`)
process.exit(findings.length === 0 ? 0 : 1)
