import { describe, expect, test } from 'vitest'
import type { RawEvent } from '../../cloud-event.js'
import { scheduledTask } from './scheduled-task.js'

const facts = { taskId: 't1', runId: 'r1', projectId: 'p1', queue: 'default', uses: 'noop' }

const change = (data: object | string, topic: RawEvent['topic'] = 'task.updated'): RawEvent => ({
  topic,
  eventId: '0198b1c2-0000-7000-8000-000000000001',
  source: 'scheduler',
  subject: 't1',
  time: new Date(0),
  key: 'r1',
  sequence: 7,
  traceparent: '00-1-2-01',
  data: typeof data === 'string' ? data : JSON.stringify(data),
})

describe('task.scheduled', () => {
  test('follows from a change that put a task into the queue', () => {
    const event = scheduledTask(change({ ...facts, key: 'a', index: -1, status: 'queued', attempt: 1 }))
    expect(event).toMatchObject({ topic: 'task.scheduled', key: 'r1', subject: 't1', sequence: 7, source: 'scheduler' })
    expect(JSON.parse(event?.data ?? '')).toEqual(facts)
  })

  test('is found in text as PostgreSQL writes it', () => {
    const text = JSON.stringify({ ...facts, status: 'queued' }).replaceAll('":', '" : ')
    expect(JSON.parse(scheduledTask(change(text))?.data ?? '')).toEqual(facts)
  })

  test('follows when a worker was given the task at once', () => {
    const event = scheduledTask(change({ ...facts, status: 'running', workerId: 'w', scheduled: true }))
    expect(JSON.parse(event?.data ?? '')).toEqual(facts)
  })

  test('does not follow from any other change, whatever its texts say', () => {
    expect(scheduledTask(change({ ...facts, status: 'running', workerId: 'w' }))).toBeUndefined()
    expect(scheduledTask(change({ ...facts, status: 'failed', labels: { status: 'queued' } }))).toBeUndefined()
    expect(scheduledTask(change({ ...facts, status: 'failed', labels: { scheduled: 'true' } }))).toBeUndefined()
    expect(scheduledTask(change({ ...facts, status: 'queued' }, 'workflow.updated'))).toBeUndefined()
  })

  test('has an id of its own, the same when it is sent again', () => {
    const cause = change({ ...facts, status: 'queued' })
    const [first, again] = [scheduledTask(cause)?.eventId, scheduledTask(cause)?.eventId]
    expect(first).toBe(again)
    expect(first).not.toBe(cause.eventId)
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(scheduledTask({ ...cause, eventId: '0198b1c2-0000-7000-8000-000000000002' })?.eventId).not.toBe(first)
  })
})
