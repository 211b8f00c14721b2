import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { RawEvent } from '../cloud-event.js'
import type { DeadLetter } from '../deliver.js'
import { isRefusal, kafkaDown, type Sender } from './sender.js'
import { deadLetterTopic } from './topic-declarations.js'

/** An event and the message it came in. */
export interface ReceivedEvent extends RawEvent {
  message: KafkaMessage
  partition: number
}

/** Sends the message as it was to `<topic>.dlq`; who failed on it and why is in the headers. */
export async function sendDeadLetter(
  sender: Sender,
  prefix: string,
  group: string,
  letter: DeadLetter<ReceivedEvent>,
): Promise<void> {
  const { raw, reason, detail, tries } = letter
  const { key, value, headers } = raw.message
  const why: IHeaders = {
    'dlq-group': group,
    'dlq-reason': reason,
    'dlq-detail': detail.slice(0, 2_000),
    'dlq-tries': String(tries),
    'dlq-source': `${prefix}${raw.topic}/${raw.partition}/${raw.message.offset}`,
  }
  const topic = prefix + deadLetterTopic(raw.topic)
  const send = (kept: Buffer | null) =>
    sender.send({ topicMessages: [{ topic, messages: [{ key, value: kept, headers: { ...headers, ...why } }] }] })
  try {
    await send(value)
  } catch (error) {
    if (!isRefusal(error)) throw kafkaDown(error)
    // With its headers the message is over the limit: the place it came from still has it.
    await send(null).catch((again: unknown) => {
      throw kafkaDown(again)
    })
  }
}
