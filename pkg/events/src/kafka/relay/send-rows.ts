import { isolateFaults } from '@millrace/batcher'
import type { Message, ProducerBatch } from 'kafkajs'
import type { RawEvent } from '../../cloud-event.js'
import type { LogRow } from '../../postgres/log-row.js'
import { isClaim } from '../../topics.js'
import { encodeMessage } from '../envelope.js'
import { isRefusal } from '../sender.js'
import { scheduledTask } from './scheduled-task.js'

/** Of one request; a single event may be larger. */
const maxRequestBytes = 4 * 1024 * 1024

export interface SendRowsOptions {
  prefix: string
  send: (batch: ProducerBatch) => Promise<void>
  /** Waits before the next try, or throws to give up. */
  failed: (error: unknown) => Promise<void>
  /** This one will never be taken. */
  refused: (row: LogRow, error: unknown) => Promise<void>
}

/** Resolves once every row was sent or refused, in order: nothing is sent while something earlier is not. */
export async function sendRows(rows: readonly LogRow[], options: SendRowsOptions): Promise<void> {
  for (let start = 0; start < rows.length; ) {
    let bytes = 0
    let end = start
    while (end < rows.length && (end === start || bytes + size(rows[end]) <= maxRequestBytes)) {
      bytes += size(rows[end])
      end += 1
    }
    await isolateFaults<LogRow, never>(rows.slice(start, end), {
      attempt: async (part) => {
        await sendRequest(part, options)
        return []
      },
      isFault: isRefusal,
      alone: async (row, error) => {
        await options.refused(row, error)
        return []
      },
    })
    start = end
  }
}

const size = (row: LogRow | undefined): number => row?.data.length ?? 0

async function sendRequest(rows: readonly LogRow[], options: SendRowsOptions): Promise<void> {
  for (;;) {
    try {
      return await options.send(toBatch(rows, options.prefix))
    } catch (error) {
      if (isRefusal(error)) throw error
      await options.failed(error)
    }
  }
}

function withScheduledTask(row: LogRow): RawEvent[] {
  const scheduled = scheduledTask(row)
  return scheduled ? [row, scheduled] : [row]
}

function toBatch(rows: readonly LogRow[], prefix: string): ProducerBatch {
  const byTopic = new Map<string, Message[]>()
  for (const row of rows.flatMap(withScheduledTask)) {
    const messages = byTopic.get(row.topic)
    // A claim in an outbox was put there by whoever had applied it.
    const message = encodeMessage(isClaim(row.topic) ? { ...row, applied: true } : row)
    if (messages === undefined) byTopic.set(row.topic, [message])
    else messages.push(message)
  }
  return { topicMessages: [...byTopic].map(([topic, messages]) => ({ topic: prefix + topic, messages })) }
}
