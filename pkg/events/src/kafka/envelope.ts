import type { KafkaMessage, Message } from 'kafkajs'
import { envelopeOf, type RawEvent } from '../cloud-event.js'
import { ContractError } from '../contract-check.js'
import type { Topic } from '../topics.js'

const contentType = 'application/cloudevents+json; charset=UTF-8'

/** CloudEvents' structured mode: the value is the whole event in JSON. Data goes in as the text it is. */
export function encodeMessage(raw: RawEvent): Message {
  return {
    key: raw.key,
    value: `${JSON.stringify(envelopeOf(raw)).slice(0, -1)},"data":${raw.data}}`,
    headers: {
      'content-type': contentType,
      ...(raw.traceparent === null ? {} : { traceparent: raw.traceparent }),
    },
  }
}

/** Throws a ContractError for what is no CloudEvent of this topic. */
export function decodeMessage(topic: Topic, message: Pick<KafkaMessage, 'key' | 'value'>): RawEvent {
  const envelope = parse(topic, message.value)
  const { id, source, type, subject = '', time, partitionkey, sequence = '0', traceparent = null, applied } = envelope
  if (type !== `millrace.${topic}.v1`) throw new ContractError(`${topic}: the type is not millrace.${topic}.v1`)
  if (typeof id !== 'string' || id === '') throw new ContractError(`${topic}: the event has no id`)
  if (typeof source !== 'string' || typeof subject !== 'string') {
    throw new ContractError(`${topic}: source or subject is no text`)
  }
  const at = new Date(typeof time === 'string' ? time : Number.NaN)
  if (Number.isNaN(at.getTime())) throw new ContractError(`${topic}: the event has no time`)
  return {
    topic,
    eventId: id,
    source,
    subject,
    time: at,
    key: typeof partitionkey === 'string' ? partitionkey : (message.key?.toString() ?? ''),
    sequence: Number(sequence) || 0,
    traceparent: typeof traceparent === 'string' ? traceparent : null,
    applied: applied === true,
    data: '',
    parsed: envelope.data,
  }
}

function parse(topic: Topic, value: Buffer | null): Record<string, unknown> {
  let envelope: unknown
  try {
    envelope = JSON.parse(value?.toString('utf8') ?? '')
  } catch (cause) {
    throw new ContractError(`${topic}: the message is not JSON`, { cause })
  }
  if (typeof envelope !== 'object' || envelope === null || !('specversion' in envelope)) {
    throw new ContractError(`${topic}: the message is no CloudEvent`)
  }
  return envelope as Record<string, unknown>
}
