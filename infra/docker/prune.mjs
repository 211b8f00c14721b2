// What one service needs to run, and no more: node prune.mjs services/<name>, in the root of a clone that is installed
// and built. npm itself keeps the development dependencies of workspaces that others depend on.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))

/** As Node looks for it: from where it is asked for, upwards. */
function find(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at === '.' ? '' : at, 'node_modules', name)
    if (packages[path]) return path
    if (at === '.') return undefined
  }
}

function reach(path, needed) {
  if (path === undefined || needed.has(path) || !packages[path]) return
  needed.add(path)
  if (packages[path].link) return reach(packages[path].resolved, needed)
  const { dependencies, optionalDependencies, peerDependencies } = packages[path]
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    reach(find(name, path), needed)
  }
}

const [, , service = ''] = process.argv
if (!packages[service]) throw new Error(`no workspace ${service}`)
const needed = new Set()
reach(service, needed)
const holdsNeeded = (path) => [...needed].some((each) => each.startsWith(`${path}/`))

// Whole folders of what nobody needs; what something needed lies in stays, without the rest.
for (const path of Object.keys(packages).sort()) {
  if (path !== '' && !needed.has(path) && !holdsNeeded(path)) rmSync(path, { recursive: true, force: true })
}
for (const scope of readdirSync('node_modules')) {
  const path = join('node_modules', scope)
  if (scope.startsWith('.')) rmSync(path, { recursive: true })
  else if (scope.startsWith('@') && readdirSync(path).length === 0) rmdirSync(path)
}
for (const path of [...needed].filter((each) => !each.includes('node_modules'))) {
  for (const name of ['src', 'tests', 'tsconfig.json', 'tsconfig.tsbuildinfo']) {
    rmSync(join(path, name), { recursive: true, force: true })
  }
}
const missing = [...needed].filter((path) => !existsSync(path) && !packages[path].optional && !packages[path].peer)
if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`)
