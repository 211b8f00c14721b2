import type { RouteRequest } from '@millrace/http'
import { expect, test } from 'vitest'
import type { AppContext } from '../context.js'
import { ProjectLog } from '../live/project-log.js'
import { watchProject } from './watch-project.js'

function setUp(answer: AbortController) {
  let readers = 0
  const join = async () => {
    readers += 1
    const leave = () => {
      readers -= 1
    }
    return { log: new ProjectLog(), leave }
  }
  const req = { query: {}, headers: {}, identity: { projectId: 'p' }, signal: answer.signal } as unknown as RouteRequest
  const handle = watchProject({ feed: { join } } as unknown as AppContext)
  return { call: () => handle(req), readers: () => readers }
}

test('a reader leaves with its answer, also when no stream was sent, as for HEAD', async () => {
  const answer = new AbortController()
  const { call, readers } = setUp(answer)
  await call()
  expect(readers()).toBe(1)
  answer.abort()
  expect(readers()).toBe(0)
})

test('a caller who left before it could read is no reader', async () => {
  const answer = new AbortController()
  answer.abort()
  const { call, readers } = setUp(answer)
  await call()
  expect(readers()).toBe(0)
})
