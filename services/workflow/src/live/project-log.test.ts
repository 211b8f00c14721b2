import { describe, expect, test } from 'vitest'
import { type Change, ProjectLog } from './project-log.js'

const change = (id: string, rev: number, data = '{}'): Change => ({
  ...{ kind: 'run', id, rev, status: 'running', workflow: 'w', labels: {}, data },
})

describe('the changes of a project', () => {
  test('are given from a place on', () => {
    const log = new ProjectLog()
    const start = log.end
    log.add(change('a', 1))
    log.add(change('b', 1))
    expect(log.after(start, 10)?.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(log.after(log.nameOf(1), 10)?.map(({ id }) => id)).toEqual(['b'])
    expect(log.after(log.end, 10)).toEqual([])
  })

  test('are kept once for each rev, and never backwards', () => {
    const log = new ProjectLog()
    const start = log.end
    for (const rev of [2, 2, 1, 3]) log.add(change('a', rev))
    expect(log.after(start, 10)?.map(({ rev }) => rev)).toEqual([2, 3])
  })

  test('cannot be resumed from what is no place of this log, or has been dropped', () => {
    const log = new ProjectLog()
    const start = log.end
    for (const place of [
      '',
      'x',
      '-',
      `${log.end}1`,
      log.end.replace(/-.*/, '-x'),
      `${'0'.repeat(12)}-0`,
      '-1',
      log.nameOf(9),
    ]) {
      expect(log.after(place, 10), place).toBeUndefined()
    }
    for (let i = 0; i < 5_001; i++) log.add(change(`r${i}`, 1))
    expect(log.after(start, 10)).toBeUndefined()
    expect(log.after(log.nameOf(1), 1)?.[0]?.id).toBe('r1')
  })

  test('are bounded by their size', () => {
    const log = new ProjectLog()
    const start = log.end
    const megabyte = JSON.stringify('x'.repeat(1024 * 1024))
    for (let i = 0; i < 9; i++) log.add(change(`r${i}`, 1, megabyte))
    expect(log.after(start, 10)).toBeUndefined()
    expect(log.after(log.nameOf(8), 10)?.map(({ id }) => id)).toEqual(['r8'])
  })

  test('begin anew when something may have been missed', async () => {
    const log = new ProjectLog()
    log.add(change('a', 1))
    const place = log.end
    const woken = log.changed(new AbortController().signal)
    log.restart()
    await woken
    expect(log.after(place, 10)).toBeUndefined()
    log.add(change('a', 1))
    expect(log.after(log.end, 10)).toEqual([])
  })
})
