import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { curlOf, emptyOptions, labelsOf, optionsBody } from './start-options'

describe('the options of a start', () => {
  it('are absent when left empty', () => {
    expect(optionsBody(emptyOptions)).toEqual({})
    expect(optionsBody({ version: '2', priority: '0', delaySeconds: '1.5', labels: 'a=b', hold: true })).toEqual({
      version: 2,
      priority: 0,
      delaySeconds: 1.5,
      labels: { a: 'b' },
      hold: true,
    })
  })

  it('read labels as pairs', () => {
    expect(labelsOf('team=shop, query=a=b\n=x,alone,')).toEqual({ team: 'shop', query: 'a=b' })
  })

  it('make a command that a shell passes on exactly, whatever the input holds', () => {
    const body = { input: { text: `it's "$HOME" \`id\` \\ ; rm -rf` } }
    const command = curlOf('http://127.0.0.1', 'p', 'w', body).replace('curl', 'printf "%s\\n"')
    const words = execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n')
    expect(JSON.parse(words.at(-1) ?? '')).toEqual(body)
  })
})
