import type { ReactNode } from 'react'

export type Tone = 'succeeded' | 'failed' | 'running' | 'waiting' | 'idle'

interface Look {
  tone: Tone
  shape: ReactNode
}

const ring = <circle cx="7" cy="7" r="5.2" />
const disc = <circle cx="7" cy="7" r="6" fill="currentColor" stroke="none" />
const mark = (d: string) => <path d={d} stroke="var(--bg)" strokeWidth="1.7" fill="none" />

/** Shape, word and colour together: the shapes alone tell the statuses apart without any colour. */
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
  queued: {
    tone: 'idle',
    shape: (
      <>
        {ring}
        <circle cx="7" cy="7" r="1.600" fill="currentColor" stroke="none" />
      </>
    ),
  },
  pending: { tone: 'idle', shape: <circle cx="7" cy="7" r="5.200" strokeDasharray="2 2.080" /> },
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
  paused: {
    tone: 'waiting',
    shape: (
      <>
        {ring}
        <path d="M5.600 4.900v4.200M8.400 4.900v4.200" />
      </>
    ),
  },
  cancelling: {
    tone: 'waiting',
    shape: (
      <>
        {ring}
        <path d="M4.300 7h5.400" />
      </>
    ),
  },
  cancelled: {
    tone: 'idle',
    shape: (
      <>
        {ring}
        <path d="M3.500 10.500l7-7" />
      </>
    ),
  },
  skipped: { tone: 'idle', shape: <path d="M2 3.500L6.500 7 2 10.500M7.500 3.500L12 7l-4.500 3.500" /> },
}
looks.delivered = looks.succeeded as Look
looks.active = looks.running as Look
looks.open = looks.failed as Look
looks.retried = looks.running as Look
looks.deleted = looks.cancelled as Look
looks.success = looks.succeeded as Look
looks.failure = looks.failed as Look
looks.denied = looks.cancelled as Look
looks.draining = looks.cancelling as Look
looks.lost = looks.failed as Look
looks.failing = looks.failed as Look
looks.complete = looks.succeeded as Look

const unknown: Look = { tone: 'idle', shape: ring }
const lookOf = (status: string): Look => looks[status] ?? unknown

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

export function Status({ status }: { status: string }) {
  return (
    <span className="status">
      <StatusIcon status={status} />
      <span className="status-word">{status}</span>
    </span>
  )
}
