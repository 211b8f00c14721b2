// Every link between files of the repository leads somewhere, to a heading too, and every `make` target that a document names exists.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** As GitHub makes them. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

function anchorsOf(text) {
  const headings = text.split('\n').filter((line) => /^#{1,6} /.test(line))
  return new Set(headings.map((line) => anchorOf(line.slice(line.indexOf(' ') + 1))))
}

/** Faults of one document; `read` gives a file's text, or undefined where there is none. */
export function faultsOf(file, text, read, targets) {
  const faults = []
  for (const [, link] of text.matchAll(/\]\(([^()\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue
    const [path, anchor] = link.split('#')
    const target = path === '' ? file : normalize(join(dirname(file), path))
    const found = path === '' ? text : read(target)
    if (found === undefined) faults.push(`${file}: ${link} is not there`)
    else if (anchor && target.endsWith('.md') && !anchorsOf(found).has(anchor))
      faults.push(`${file}: no heading for ${link}`)
  }
  for (const [, target] of text.matchAll(/`make ([a-z][a-z-]*)/g)) {
    if (!targets.has(target)) faults.push(`${file}: make ${target} does not exist`)
  }
  return faults
}

if (process.argv[1] === import.meta.filename) {
  const files = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const read = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return undefined
    return path.endsWith('.md') ? readFileSync(full, 'utf8') : ''
  }
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8')
  const targets = new Set([...makefile.matchAll(/^([a-z-]+):/gm)].map(([, name]) => name))
  const faults = files.flatMap((file) => faultsOf(file, read(file) ?? '', read, targets))
  for (const fault of faults) console.error(fault)
  console.log(`${files.length} documents, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
