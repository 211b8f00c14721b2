// Generates the TypeScript types of proto/ into pkg/contracts/src/gen.
// With --check it generates elsewhere and fails if what is committed differs.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const committed = join(root, 'pkg/contracts/src/gen')
const check = process.argv.includes('--check')

function filesBelow(dir) {
  return readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(dir, name)).isFile())
    .sort()
}

function generate(outDir) {
  const protos = filesBelow(join(root, 'proto')).filter((name) => name.endsWith('.proto'))
  const options = ['--longs=Number', '--enums=String', '--defaults', '--arrays', '--objects', '--oneofs']
  const output = ['--grpcLib=@grpc/grpc-js', '--importFileExtension=.js', '--includeComments', `--outDir=${outDir}`]
  execFileSync(
    process.execPath,
    [
      join(root, 'node_modules/@grpc/proto-loader/build/bin/proto-loader-gen-types.js'),
      ...options,
      ...output,
      // Relative, because the path is written into every generated file.
      '--includeDirs=proto',
      '--',
      ...protos,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  )
}

function difference(a, b) {
  const names = new Set([...filesBelow(a), ...filesBelow(b)])
  return [...names].filter((name) => {
    try {
      return readFileSync(join(a, name), 'utf8') !== readFileSync(join(b, name), 'utf8')
    } catch {
      return true
    }
  })
}

if (check) {
  const fresh = mkdtempSync(join(tmpdir(), 'millrace-contracts-'))
  try {
    generate(fresh)
    const stale = difference(fresh, committed)
    if (stale.length > 0) {
      console.error(`pkg/contracts/src/gen is stale (run make generate): ${stale.join(', ')}`)
      process.exitCode = 1
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
} else {
  rmSync(committed, { recursive: true, force: true })
  generate(committed)
  console.log(`wrote ${relative(root, committed)}`)
}
