import type { ReactNode } from 'react'

export type Tone = 'succeeded' | 'failed' | 'running' | 'waiting' | 'idle'

interface Look {
  tone: Tone
  shape: ReactNode
}

const ring = <circle cx="7" cy="7" r="5.2" />
const disc = <circle cx="7" cy="7" r="6" fill="currentColor" stroke="none" />
const squareD =
  'M3.500 2.200h7a1.300 1.300 0 011.300 1.300v7a1.300 1.300 0 01-1.300 1.300h-7a1.300 1.300 0 01-1.300-1.300v-7a1.300 1.300 0 011.300-1.300z'
const square = <path d={squareD} />
const mark = (d: string) => <path d={d} stroke="var(--bg)" strokeWidth="1.7" fill="none" />

/** Shape, word and colour together: the shapes alone tell the statuses apart without any colour, and each means one thing. */
const looks: Record<string, Look> = {
  succeeded: {
    tone: 'succeeded',
    shape: (
      <>
        {disc}
        {mark('M4.200 7.200l2 2 3.600-4.200')}
      </>
    ),
  },
  failed: {
    tone: 'failed',
    shape: (
      <>
        <path d="M4.300 1h5.400L13 4.300v5.400L9.700 13H4.300L1 9.700V4.300z" fill="currentColor" stroke="none" />
        {mark('M5 5l4 4M9 5l-4 4')}
      </>
    ),
  },
  running: {
    tone: 'running',
    shape: (
      <>
        {ring}
        <path d="M7 1.800a5.200 5.200 0 010 10.400z" fill="currentColor" stroke="none" />
      </>
    ),
  },
  queued: { tone: 'idle', shape: <path d="M2.200 3.200h9.600M2.200 7h9.600M2.200 10.800h5" strokeWidth="2" /> },
  pending: { tone: 'idle', shape: <path d="M2.500 7h.01M7 7h.01M11.500 7h.01" strokeWidth="2.600" /> },
  delayed: {
    tone: 'idle',
    shape: (
      <>
        {ring}
        <path d="M7 4.200V7l1.900 1.300" />
      </>
    ),
  },
  waiting: {
    tone: 'waiting',
    shape: (
      <>
        <path d="M7 .8L13.200 7 7 13.200.8 7z" fill="currentColor" stroke="none" />
        {mark('M7 4.300v3.200M7 9.500v.01')}
      </>
    ),
  },
  paused: { tone: 'waiting', shape: <path d="M4.500 2.500v9M9.500 2.500v9" strokeWidth="2.600" /> },
  cancelling: {
    tone: 'waiting',
    shape: (
      <>
        {square}
        <path d="M4.500 7h5" />
      </>
    ),
  },
  cancelled: {
    tone: 'idle',
    shape: (
      <>
        <path d={squareD} fill="currentColor" />
        {mark('M4.200 7h5.600')}
      </>
    ),
  },
  skipped: {
    tone: 'idle',
    shape: <path d="M1.500 2.500L7 7l-5.500 4.500zM7.500 2.500L13 7l-5.500 4.500z" fill="currentColor" stroke="none" />,
  },
  /** Of what is in use: a worker, a queue, a schedule, a subscription. */
  active: { tone: 'succeeded', shape: <circle cx="7" cy="7" r="3.600" fill="currentColor" stroke="none" /> },
  /** Of a dead letter: what lies in a tray until somebody deals with it. */
  open: {
    tone: 'failed',
    shape: <path d="M1.500 7.500v4.700h11V7.500h-3L8.500 9.500h-3l-1-2zM7 1.200v3.300M7 6.700v.01" />,
  },
  /** Of a circuit: a switch that does not conduct. */
  'circuit-open': {
    tone: 'failed',
    shape: <path d="M.8 9.500h3M4 9.500l6-5.300M10.200 9.500h3" strokeWidth="2" />,
  },
  retried: {
    tone: 'running',
    shape: <path d="M5 2L2.200 4.800 5 7.600M2.500 4.800h5.700a3.200 3.200 0 010 6.400H4.500" />,
  },
  deleted: { tone: 'idle', shape: <path d="M2 3.800h10M5 3.500V1.800h4v1.700M3.500 4l.6 8.200h5.800l.6-8.200" /> },
  denied: {
    tone: 'idle',
    shape: (
      <>
        {ring}
        <path d="M3.500 10.500l7-7" />
      </>
    ),
  },
  draining: { tone: 'waiting', shape: <path d="M7 1.500v7M3.800 5.500L7 8.700l3.200-3.200M2 12.200h10" /> },
  lost: {
    tone: 'failed',
    shape: <path d="M4 4.600a3 3 0 115 2.200C7.800 7.700 7 8.100 7 9.300M7 12v.01" strokeWidth="2" />,
  },
  failing: {
    tone: 'failed',
    shape: (
      <>
        <path d="M7 1.200L13.400 12.600H.600z" fill="currentColor" strokeWidth="1" />
        {mark('M7 5v3.300M7 10.600v.01')}
      </>
    ),
  },
}
/** Other words for the same. */
looks.delivered = looks.succeeded as Look
looks.success = looks.succeeded as Look
looks.complete = looks.succeeded as Look
looks.failure = looks.failed as Look

const unknown: Look = { tone: 'idle', shape: ring }
const lookOf = (status: string): Look => looks[status] ?? unknown

/** Of those that are drawn; whatever else comes has the look of none of them. */
export const knownStatuses: readonly string[] = Object.keys(looks)

export const toneOf = (status: string): Tone => lookOf(status).tone

export function StatusIcon({ status, size = 14 }: { status: string; size?: number }) {
  const { tone, shape } = lookOf(status)
  return (
    <svg
      className={`tone-${tone}`}
      width={size}
      height={size}
      viewBox="0 0 14 14"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.500"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shape}
    </svg>
  )
}

/** `look`: where one word is said of two kinds of thing. */
export function Status({ status, look = status }: { status: string; look?: string }) {
  return (
    <span className="status">
      <StatusIcon status={look} />
      <span className="status-word">{status}</span>
    </span>
  )
}
