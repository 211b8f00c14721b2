/** The parts of answers that tests look at. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  errors?: { path: string; code: string; message: string; line?: number }[]
}

export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

export interface Failure {
  code: string
  message: string
  class: string
  retryable: boolean
}

export interface Task {
  key: string
  /** Of a map's child. */
  index?: number
  uses: string
  jobId: string
  status: string
  attempt: number
  maxAttempts: number
  queuedAt: string | null
  startedAt: string | null
  finishedAt: string | null
  workerId: string | null
  childRunId?: string
  reused?: boolean
  /** Of a compensation. */
  compensates?: string
  output: unknown
  error: Failure | null
}

export interface RunSummary {
  id: string
  workflow: string
  version: number
  status: string
  reason: string | null
  error: Failure | null
  priority: number
  labels: Record<string, string>
  parent: { runId: string; task: string } | null
  rerunOf: { runId: string; from: string | null } | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface Run extends RunSummary {
  input: unknown
  output: unknown
  tasks: Task[]
}

export interface Workflow {
  id: string
  name: string
  version: number
  latestVersion: number
  definition: { name: string; tasks: Record<string, { uses: string }> }
  graph: { nodes: { key: string; uses: string; level: number }[]; edges: { from: string; to: string }[] }
  createdAt: string
}

export interface LogLine {
  seq: number
  at: string
  level: string
  stream: string
  message: string
  task: string
  attempt: number
}

export interface Job {
  id: string
  runId: string
  workflow: string
  task: string
  status: string
  traceId: string | null
  attempts: {
    attempt: number
    status: string
    workerId: string
    queueWaitMs: number
    startedAt: string | null
    finishedAt: string | null
    error: Failure | null
  }[]
  artifacts?: { id: string; name: string }[]
}

export interface Explanation {
  blockers: { kind: string; detail: string }[]
  tasks: { key: string; index?: number; status: string; why: string; blockers: { kind: string; detail: string }[] }[]
}

export interface Subscription {
  id: string
  events: string[]
  secret?: string
}

export interface Notification {
  id: string
  subscriptionId: string
  runId: string | null
  type: string
  status: string
  attemptCount: number
}

export interface Artifact {
  id: string
  name: string
  size: number
  sha256: string
  contentType: string
  state: string
}

export interface Upload {
  id: string
  uploadUrl: string
  uploadMethod: string
  uploadHeaders: Record<string, string>
  expiresAt: string
}

export interface ApiKey {
  id: string
  name: string
  role: string
  prefix: string
  key: string
}
