// Brings node_modules and dist up to date, and does nothing when they are: a stamp holds the hash of what they came from.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const workspaceParents = ['pkg', 'services', 'infra/stack']

function workspaces(root) {
  return workspaceParents.flatMap((parent) =>
    readdirSync(join(root, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(join(root, parent, entry.name, 'package.json')))
      .map((entry) => join(root, parent, entry.name)),
  )
}

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
}

/** Contents, not times: a checkout or a copy sets times anew, and a changed file may keep its own. */
export function fingerprint(root, files) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`)
  for (const file of [...files].sort()) {
    hash.update(`\0${relative(root, file)}\0`).update(existsSync(file) ? readFileSync(file) : '')
  }
  return hash.digest('hex')
}

function readStamp(root, name) {
  try {
    return readFileSync(join(root, '.stamp', name), 'utf8')
  } catch {
    return ''
  }
}

function writeStamp(root, name, value) {
  mkdirSync(join(root, '.stamp'), { recursive: true })
  writeFileSync(join(root, '.stamp', name), value)
}

function manifests(root) {
  const extra = ['tests', 'bench', 'web', 'cli'].map((name) => join(root, name))
  const all = [root, ...workspaces(root), ...extra].map((folder) => join(folder, 'package.json'))
  return [...all.filter((file) => existsSync(file)), join(root, 'package-lock.json')]
}

/** npm keeps beside the packages the list of what it put there; they are whole when it agrees with the lockfile. */
export function isInstalled(root) {
  let wanted
  let found
  try {
    wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    found = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages
  } catch {
    return false
  }
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true
    if (entry.link) return existsSync(join(root, path))
    if (found[path] === undefined) return entry.optional === true
    return found[path].version === entry.version && existsSync(join(root, path))
  })
}

const npmCi = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

export async function ensureInstalled(root) {
  const stamp = fingerprint(root, manifests(root))
  if (readStamp(root, 'install') === stamp && existsSync(join(root, 'node_modules', '.package-lock.json'))) return
  if (!isInstalled(root)) {
    console.log('Installing dependencies…')
    // No dependency needs an install script, and none is given the chance.
    await run('npm', npmCi, root, 'npm ci failed. Is npm installed, and its registry reachable (npm ping)?')
  }
  writeStamp(root, 'install', stamp)
}

const runtimeTimeoutMs = 180_000

/**
 * A newer Node for the product's processes, where the one at hand is older. It is a matter of speed alone, so no failure
 * here keeps Millrace from starting: the next start tries again.
 */
export async function ensureRuntime(root) {
  const folder = join(root, 'infra', 'runtime')
  const manifest = join(folder, 'package.json')
  const [wanted] = Object.values(JSON.parse(readFileSync(manifest, 'utf8')).optionalDependencies)
  const major = (version) => Number(version.split('.')[0])
  if (process.env.MILLRACE_NODE === 'system' || major(process.versions.node) >= major(wanted)) return
  const stamp = fingerprint(root, [manifest, join(folder, 'package-lock.json')])
  if (readStamp(root, 'runtime') === stamp && existsSync(join(folder, 'node_modules'))) return
  console.log(`Fetching Node ${wanted} for Millrace's processes (MILLRACE_NODE=system does without)…`)
  const args = [...npmCi, '--fetch-retries=0']
  const { status } = await ended('npm', args, { cwd: folder, stdio: 'ignore', timeout: runtimeTimeoutMs })
  if (status === 0) writeStamp(root, 'runtime', stamp)
  else console.log(`It could not be fetched; going on with Node ${process.versions.node}.`)
}

function sourcesOf(folder) {
  const sources = join(folder, 'src')
  return existsSync(sources) ? filesBelow(sources) : []
}

/** Whether each source of a package, tests and declarations apart, has its file in dist. */
export function isBuilt(folder) {
  return sourcesOf(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !file.endsWith('.test.ts'))
    .every((file) => existsSync(join(folder, 'dist', `${relative(join(folder, 'src'), file).slice(0, -3)}.js`)))
}

export async function ensureBuilt(root) {
  const sources = workspaces(root).flatMap((folder) => [join(folder, 'tsconfig.json'), ...sourcesOf(folder)])
  const stamp = fingerprint(root, [...sources, join(root, 'tsconfig.base.json'), join(root, 'package-lock.json')])
  const whole = workspaces(root).every(isBuilt)
  if (whole && readStamp(root, 'build') === stamp) return
  console.log('Building…')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const projects = workspaces(root).filter((folder) => existsSync(join(folder, 'tsconfig.json')))
  // tsc trusts its own notes over what is on disk: when dist was deleted, only --force writes it again.
  await run(
    process.execPath,
    [tsc, '-b', ...(whole ? [] : ['--force']), ...projects],
    root,
    'The build failed; see above.',
  )
  writeStamp(root, 'build', stamp)
}

/** The console's files. Types are not checked here: make test does that, and a start should not wait for it. */
export async function ensureConsoleBuilt(root) {
  const web = join(root, 'web')
  if (!existsSync(join(web, 'package.json'))) return
  const generated = join(web, 'src', 'api', 'gen')
  const sources = [
    ...filesBelow(join(web, 'src')).filter((file) => !file.startsWith(generated)),
    ...filesBelow(join(web, 'public')),
    ...['index.html', 'vite.config.ts', 'package.json'].map((name) => join(web, name)),
    // What it takes from the packages.
    join(root, 'pkg', 'definition', 'src', 'duration.ts'),
  ]
  const stamp = fingerprint(root, [...sources, join(root, 'package-lock.json')])
  if (existsSync(join(web, 'dist', 'index.html')) && readStamp(root, 'console') === stamp) return
  console.log('Building the console…')
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [vite, 'build', '--logLevel', 'warn', web]
  await run(process.execPath, args, root, 'The build of the console failed; see above.')
  writeStamp(root, 'console', stamp)
}

function ended(command, args, options) {
  const shell = process.platform === 'win32' && command === 'npm'
  return new Promise((resolve) => {
    spawn(command, args, { ...options, shell })
      .once('error', () => resolve({ status: 1, signal: null }))
      .once('exit', (status, signal) => resolve({ status, signal }))
  })
}

async function run(command, args, root, complaint) {
  const { status, signal } = await ended(command, args, { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  if (!signal) console.error(complaint)
  process.exit(signal ? 130 : 1)
}
