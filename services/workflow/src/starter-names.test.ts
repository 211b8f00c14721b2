import { testLogger } from '@millrace/testkit'
import { expect, test } from 'vitest'
import { createStarterNames } from './starter-names.js'

const viewer = { projectId: 'p', role: 'viewer' as const }
const owner = { projectId: 'p', role: 'owner' as const }
const run = (requestedBy: string, requestedByName = '') => ({ requestedBy, requestedByName })

function starters(names: Record<string, string>) {
  const asked: string[][] = []
  const name = createStarterNames(async (_, subjects) => {
    asked.push([...subjects])
    return names
  }, testLogger)
  return { asked, name }
}

test('members are named for everybody, keys for owners, schedules as they came', async () => {
  const { asked, name } = starters({ 'user:a': 'Ada', 'key:k': 'ci' })
  const runs = () => [run('user:a'), run('key:k'), run('schedule:s', 'nightly'), run('user:gone')]
  const [seen, all] = [runs(), runs()]
  await name(viewer, seen)
  expect(seen.map(({ requestedByName }) => requestedByName)).toEqual(['Ada', '', 'nightly', ''])
  await name(owner, all)
  expect(all.map(({ requestedByName }) => requestedByName)).toEqual(['Ada', 'ci', 'nightly', ''])
  // Also who has no name is asked for once; a viewer does not learn what an owner asked for.
  expect(asked).toEqual([['user:a', 'user:gone'], ['key:k']])
  const again = runs()
  await name(viewer, again)
  expect(again[1]?.requestedByName).toBe('')
  expect(asked).toHaveLength(2)
})

test('a name belongs to a project', async () => {
  const { asked, name } = starters({ 'user:a': 'Ada' })
  await name(viewer, [run('user:a')])
  await name({ ...viewer, projectId: 'q' }, [run('user:a')])
  expect(asked).toHaveLength(2)
})

test('without iam runs are shown without names, and it is asked again', async () => {
  let down = true
  const name = createStarterNames(async () => {
    if (down) throw new Error('down')
    return { 'user:a': 'Ada' }
  }, testLogger)
  const one = run('user:a')
  await name(viewer, [one])
  expect(one.requestedByName).toBe('')
  down = false
  await name(viewer, [one])
  expect(one.requestedByName).toBe('Ada')
})
