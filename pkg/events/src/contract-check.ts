import { eventType } from '@millrace/contracts'
import type { IConversionOptions, Type } from 'protobufjs'
import { type CloudEvent, type EventOf, envelopeOf, type RawEvent } from './cloud-event.js'
import { type EventInput, type Topic, topics } from './topics.js'

export class ContractError extends Error {
  override readonly name = 'ContractError'
}

const types = new Map<Topic, Type>()

function typeOf(topic: Topic): Type {
  const known = types.get(topic)
  if (known !== undefined) return known
  const type = eventType(topics[topic].message)
  types.set(topic, type)
  return type
}

const filled: IConversionOptions = {
  longs: Number,
  enums: String,
  defaults: true,
  arrays: true,
  objects: true,
  oneofs: true,
}

/** Throws when data breaks the contract of its topic. Unknown fields are allowed: a newer producer may send them. */
export function checkData(topic: Topic, data: unknown): asserts data is Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new ContractError(`${topic}: data is not an object`)
  }
  const fields = data as Record<string, unknown>
  for (const name of topics[topic].required) {
    const value = fields[name]
    if (typeof value !== 'string' || value === '') throw new ContractError(`${topic}: ${name} is missing`)
  }
  const fault = typeOf(topic).verify(fields)
  if (fault !== null) throw new ContractError(`${topic}: ${fault}`)
}

export function encodeData<T extends Topic>(topic: T, data: EventInput<T>): string {
  checkData(topic, data)
  return JSON.stringify(data)
}

function parse(topic: Topic, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ContractError(`${topic}: data is not JSON`, { cause })
  }
}

/** Checked, unknown fields dropped, missing fields filled with their defaults. */
export function decodeEvent<T extends Topic>(raw: RawEvent & { topic: T }): EventOf<T> {
  const data = 'parsed' in raw ? raw.parsed : parse(raw.topic, raw.data)
  checkData(raw.topic, data)
  const type = typeOf(raw.topic)
  const event: CloudEvent = {
    ...envelopeOf(raw),
    data: type.toObject(type.fromObject(data), filled) as CloudEvent['data'],
    topic: raw.topic,
  }
  return event as EventOf<T>
}
