// Adds to package-lock.json the optional packages of other platforms that npm left out. It does so when the registry in
// use does not carry them, and npm ci then refuses the lockfile everywhere. They get no integrity: that comes with the
// first npm install against a registry that has them.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const architectures = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64']

function entryOf(name, version, parent) {
  const words = name.split('/').at(-1).split('-')
  const os = systems.find((system) => words.includes(system))
  const cpu = architectures.find((architecture) => words.includes(architecture))
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined
  if (!os || !cpu) return undefined
  return {
    version,
    cpu: [cpu],
    ...(parent.dev ? { dev: true } : {}),
    ...(libc && os === 'linux' ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  }
}

/** The entries that are missing, by their path in the lockfile. */
export function missingEntries(packages) {
  const missing = {}
  for (const [path, parent] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const places = [`${path}/node_modules/${name}`, `node_modules/${name}`]
      if (places.some((place) => packages[place]) || !/^\d/.test(version)) continue
      const entry = entryOf(name, version, parent)
      if (entry) missing[`node_modules/${name}`] = entry
    }
  }
  return missing
}

const file = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const all = Object.entries({ ...lock.packages, ...missingEntries(lock.packages) })
  lock.packages = Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b, 'en')))
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
}
