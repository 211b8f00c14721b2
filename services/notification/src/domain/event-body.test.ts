import type { events } from '@millrace/contracts'
import { describe, expect, it } from 'vitest'
import { digestBody } from './digest.js'
import { bodyOf, largestOutputBytes } from './event-body.js'
import { renderMail } from './render-mail.js'
import { renderSlack } from './render-slack.js'

const data: events.WorkflowCompleted__Output = {
  runId: 'r',
  projectId: 'p',
  workflow: 'a',
  version: 1,
  status: 'succeeded',
  reason: '',
  generation: 1,
  outputJson: '',
  error: null,
  labels: {},
  createdAt: '',
  startedAt: '',
  finishedAt: '',
  failedTask: '',
  requestedBy: '',
  parent: null,
  rerun: null,
}
const completed = (change: Partial<typeof data>) =>
  bodyOf({ topic: 'workflow.completed', time: '2025-01-01T00:00:00.000Z', data: { ...data, ...change } })

describe('body', () => {
  it('has null where the event has nothing', () => {
    expect(completed({}).data).toMatchObject({ reason: null, output: null, error: null, startedAt: null })
    expect(completed({})).not.toHaveProperty('data.outputOmitted')
  })

  it('carries outputs up to the limit, counted in bytes', () => {
    const fits = JSON.stringify('x'.repeat(largestOutputBytes - 2))
    expect(completed({ outputJson: fits }).data).not.toHaveProperty('outputOmitted')
    const wide = JSON.stringify('é'.repeat(largestOutputBytes / 2))
    expect(completed({ outputJson: wide }).data).toMatchObject({ output: null, outputOmitted: true })
  })
})

describe('of a failed run', () => {
  const failure = { code: 'map_failed', message: '1 of 9 failed', class: 'user', retryable: false }
  const failed = (change: Partial<typeof data> = {}, publicUrl?: string) =>
    bodyOf(
      {
        topic: 'workflow.completed',
        time: '2025-01-01T00:00:00.000Z',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        data: { ...data, status: 'failed', error: failure, failedTask: 'pay', requestedBy: 'user:u-1', ...change },
      },
      { publicUrl },
    )
  const ofItem = { failedIndex: 0, _failedIndex: 'failedIndex' } as const

  it('the error names the task, and the item of a map', () => {
    expect(failed().data.error).toEqual({ task: 'pay', ...failure })
    expect(failed(ofItem).data.error).toEqual({ task: 'pay', index: 0, ...failure })
    expect(failed({ failedTask: '' }).data.error).toEqual({ task: null, ...failure })
  })

  it.each([
    [{}, { type: 'user', id: 'u-1' }, 'user u-1'],
    [{ requestedBy: 'key:k-1' }, { type: 'api_key', id: 'k-1' }, 'API key k-1'],
    [{ requestedBy: 'schedule:s-1' }, { type: 'schedule', id: 's-1' }, 'schedule s-1'],
    [{ requestedBy: 'hook:h-1' }, { type: 'hook', id: 'h-1' }, 'hook h-1'],
    [{ rerun: { runId: 'r-1', from: '', index: -1 } }, { type: 'rerun', id: 'r-1' }, 'rerun of run r-1'],
    [
      { parent: { runId: 'r-2', taskId: 't', key: 'a', index: -1, attempt: 1, depth: 1 } },
      { type: 'run', id: 'r-2' },
      'run r-2',
    ],
    [{ requestedBy: 'service:iam' }, null, undefined],
    [{ requestedBy: '' }, null, undefined],
  ])('%j was started by %j', (change, startedBy, words) => {
    const body = failed(change)
    expect(body.data).toMatchObject({ startedBy, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' })
    expect(/Started by: +(.*)/.exec(renderMail(body).text)?.[1]).toBe(words)
  })

  it('has a link where it is known at which address people reach the platform', () => {
    expect(failed().data).not.toHaveProperty('url')
    expect(failed({}, 'https://m.example/x').data.url).toBe('https://m.example/x/runs/r?project=p')
  })

  it('mails and chat messages name the task and lead to the run', () => {
    const body = failed(ofItem, 'https://m.example')
    const { subject, text, html } = renderMail(body)
    expect(subject).toBe('[Millrace] a failed at pay[0]')
    expect(text).toMatch(/^Task: +pay\[0\]$/m)
    expect(text).toMatch(/^Link: +https:\/\/m\.example\/runs\/r\?project=p$/m)
    expect(html).toContain('<a href="https://m.example/runs/r?project=p">https://m.example/runs/r?project=p</a>')
    const { text: message } = renderSlack(body)
    expect(message).toMatch(/^\*a failed at pay\[0\]\*\n/)
    expect(message).toContain('\nStarted by: user u-1\n')
    expect(message).toContain('\nTrace: 4bf92f3577b34da6a3ce929d0e0e4736\n')
    expect(message).toContain('\nLink: https://m.example/runs/r?project=p')
  })

  it('digests list the task and the link', () => {
    const digest = (url?: string) => renderMail(digestBody([JSON.stringify(failed(ofItem, url))], 1, new Date()))
    expect(digest('https://m.example').text).toContain(
      'a failed at pay[0], run r, https://m.example/runs/r?project=p\n',
    )
    expect(digest('https://m.example').html).toContain(
      '<a href="https://m.example/runs/r?project=p">a failed at pay[0]',
    )
    expect(digest().text).toContain('a failed at pay[0], run r\n')
  })
})

describe('rendering', () => {
  const statuses = { succeeded: 'a succeeded', failed: 'a failed', cancelled: 'a was cancelled' }
  it.each(Object.entries(statuses))('says that a run %s', (status, words) => {
    expect(renderMail(completed({ status })).subject).toBe(`[Millrace] ${words}`)
    expect(renderSlack(completed({ status })).text).toMatch(`*${words}*`)
  })

  it('cuts long texts and leaves out what is empty', () => {
    const { text } = renderMail(completed({ reason: '😀'.repeat(5000) }))
    expect(text.length).toBeLessThan(3000)
    expect(text).toMatch(/Reason: +(😀){1000}…/u)
    expect(text).not.toContain('Message:')
  })
})
