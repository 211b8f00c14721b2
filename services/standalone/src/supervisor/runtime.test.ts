import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pickRuntime } from './runtime.js'

const atHand = process.versions.node
const newer = `${Number(atHand.split('.')[0]) + 1}.3.0`

describe.runIf(process.platform !== 'win32')('which Node the children run on', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-runtime-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A bundled Node of that version, whose binary says so, or something else. */
  function bundle(version: string, says = `v${version}`): string {
    const place = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`)
    mkdirSync(join(place, 'bin'), { recursive: true })
    writeFileSync(join(place, 'package.json'), JSON.stringify({ version }))
    writeFileSync(join(place, 'bin', 'node'), `#!/bin/sh\necho ${says}\n`)
    chmodSync(join(place, 'bin', 'node'), 0o755)
    return join(place, 'bin', 'node')
  }

  test('the bundled one where it is newer, and it says so', () => {
    const execPath = bundle(newer)
    expect(pickRuntime('bundled', folder)).toEqual({ execPath, description: expect.stringContaining(`Node ${newer}`) })
  })

  test('the one at hand when it is as new, when none is bundled, and when the setting says so', () => {
    const system = { execPath: process.execPath, description: `Node ${atHand}` }
    expect(pickRuntime('bundled', folder)).toEqual(system)
    bundle(atHand)
    expect(pickRuntime('bundled', folder)).toEqual(system)
    bundle(newer)
    expect(pickRuntime('system', folder)).toEqual(system)
  })

  test('the one at hand when the bundled one does not run here, and it says so', () => {
    bundle(newer, 'something else')
    expect(pickRuntime('bundled', folder)).toEqual({
      execPath: process.execPath,
      description: `Node ${atHand}; the bundled Node ${newer} does not run here`,
    })
    chmodSync(bundle(newer), 0o644)
    expect(pickRuntime('bundled', folder).execPath).toBe(process.execPath)
    expect(pickRuntime('bundled', folder).description).toContain('does not run here: ')
  })
})
