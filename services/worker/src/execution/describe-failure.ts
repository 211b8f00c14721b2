import type { common } from '@millrace/contracts'
import { isErrorClass, isRetryable } from '@millrace/definition/error-class'
import { ExecutionFailure } from './execution-failure.js'
import type { Mask } from './masking.js'
import { printableLines, truncated } from './text.js'

export type Failure = Required<common.Failure>

const maxMessageLength = 4_096
/** More than this is never shown; cutting first keeps masking cheap on a message of a hundred megabytes. */
const maxMessageRead = 256 * 1024

/** Executors may throw anything at all, also objects whose properties throw. Always answers a well-formed failure. */
export function describeFailure(thrown: unknown, mask: Mask): Failure {
  const { message, code, errorClass, retryable } = readSafely(thrown)
  const shown = printableLines(mask.text(message.slice(0, maxMessageRead)))
  return {
    code: /^[a-z0-9_]{1,64}$/.test(code) ? code : 'error',
    message: truncated(shown, maxMessageLength),
    class: errorClass,
    retryable: retryable ?? isRetryable({ class: errorClass }),
  }
}

/** How long the other side asked to be left alone; even a look at what was thrown may throw. */
export function retryAfterOf(thrown: unknown): number | undefined {
  try {
    return thrown instanceof ExecutionFailure ? thrown.retryAfterMs : undefined
  } catch {
    return undefined
  }
}

interface Reading {
  message: string
  code: string
  errorClass: string
  retryable: boolean | undefined
}

function readSafely(thrown: unknown): Reading {
  try {
    return read(thrown)
  } catch {
    return {
      message: 'something was thrown that cannot be read',
      code: 'error',
      errorClass: 'unknown',
      retryable: undefined,
    }
  }
}

function read(thrown: unknown): Reading {
  if (thrown instanceof ExecutionFailure) {
    const { message, code, retryable } = thrown
    const errorClass = isErrorClass(thrown.class) ? thrown.class : 'unknown'
    return { message: asText(message), code, errorClass, retryable }
  }
  return { message: messageOf(thrown), code: 'error', errorClass: 'unknown', retryable: undefined }
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error) return asText(thrown.message) || asText(thrown.name)
  if (typeof thrown === 'object' && thrown !== null) return JSON.stringify(thrown) ?? 'an object was thrown'
  return asText(thrown)
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : String(value)
}
