// Every setting that a config.ts reads, as the readers themselves declare it.
import { settingsOf } from '../../../pkg/config/dist/index.js'

const processes = [
  'standalone',
  'iam',
  'workflow',
  'scheduler',
  'worker',
  'metadata',
  'notification',
  'artifact',
  'setup',
]

/** Map from a name to what each process declares of it, in the order above. */
export async function readSettings() {
  const found = new Map()
  for (const process of processes) {
    const module = await import(`../../../services/${process}/dist/config.js`)
    const read = Object.entries(module).find(([name]) => /^read\w+Config$/.test(name))?.[1]
    if (read === undefined) throw new Error(`services/${process}/src/config.ts exports no readConfig function`)
    const { settings, undeclared } = settingsOf(read)
    if (undeclared.length > 0) throw new Error(`services/${process} reads ${undeclared} past its fields`)
    for (const setting of settings) {
      const entries = found.get(setting.name) ?? []
      if (!entries.some((entry) => entry.process === process)) entries.push({ process, ...setting })
      found.set(setting.name, entries)
    }
  }
  return found
}
