// The console's browser suite needs a Chromium. Installs Debian's where that is possible without asking, and says plainly
// when the suite will be left out.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const known = [
  process.env.MILLRACE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]
const isHere = () => known.some((path) => path && existsSync(path))

export function ensureChromium() {
  if (isHere()) return
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('\n── Installing Chromium for the console’s browser suite')
    spawnSync('apt-get', ['update'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium'], { stdio: 'ignore' })
  }
  if (isHere()) return
  console.log('\nThere is no Chromium here: the console’s browser suite is LEFT OUT.')
  console.log('Install one (apt-get install chromium), or name it in MILLRACE_CHROMIUM.')
}
