import { describe, expect, it } from 'vitest'
import { bodyOf, largestOutputBytes } from './event-body.js'
import { renderMail } from './render-mail.js'
import { renderSlack } from './render-slack.js'

const data = {
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
