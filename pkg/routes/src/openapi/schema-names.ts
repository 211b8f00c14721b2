import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema, Route } from '../types.js'

/**
 * Where a schema that several operations share is found: operation, status, then properties; `[]` is an array's items.
 * By place, because a schema is a plain object without a name; every other body is named after its operation.
 */
const places: Readonly<Record<string, string>> = {
  User: 'register 201 user',
  Tokens: 'login 200',
  Session: 'listSessions 200 items []',
  AuditEntry: 'listAudit 200 items []',
  Account: 'listUsers 200 items []',
  ProjectSummary: 'createProject 201',
  Project: 'getProject 200',
  Member: 'getMember 200',
  Invitation: 'createInvitation 201',
  ApiKey: 'listApiKeys 200 items []',
  ServiceAccount: 'getServiceAccount 200',
  Secret: 'listSecrets 200 items []',
  Workflow: 'getWorkflow 200',
  WorkflowSummary: 'listWorkflows 200 items []',
  WorkflowVersion: 'listWorkflowVersions 200 items []',
  Graph: 'getWorkflow 200 graph',
  RunSummary: 'listRuns 200 items []',
  Run: 'startRun 202',
  RunDetail: 'getRun 200',
  Task: 'listRunTasks 200 items []',
  Approval: 'listApprovals 200 items []',
  Explanation: 'explainRun 200',
  Schedule: 'getSchedule 200',
  Hook: 'listHooks 200 items []',
  DeadLetter: 'getDeadLetter 200',
  Worker: 'listWorkers 200 items []',
  Queue: 'listQueues 200 items []',
  Job: 'listJobs 200 items []',
  JobDetail: 'getJob 200',
  JobMetrics: 'getJob 200 metrics',
  JobMetricsDetail: 'getJobMetrics 200',
  Attempt: 'getJob 200 attempts []',
  LogLine: 'getJobLogs 200',
  Statistics: 'getStats 200',
  Subscription: 'getSubscription 200',
  NotificationSummary: 'listNotifications 200 items []',
  Notification: 'getNotification 200',
  Artifact: 'getArtifact 200',
  Upload: 'createArtifact 201',
}

export type SchemaNames = ReadonlyMap<JsonSchema, string>

export function nameSchemas(routes: readonly Route[]): SchemaNames {
  const names = new Map<JsonSchema, string>()
  const taken = new Map<string, JsonSchema>()
  const give = (name: string, schema: JsonSchema): boolean => {
    if (names.has(schema)) return true
    const holder = taken.get(name)
    if (holder !== undefined && !isDeepStrictEqual(holder, schema)) return false
    names.set(schema, name)
    taken.set(name, schema)
    return true
  }
  for (const [name, place] of Object.entries(places)) give(name, schemaAt(routes, place))
  for (const route of routes) nameBodies(route, names, give)
  return names
}

function nameBodies(route: Route, names: SchemaNames, give: (name: string, schema: JsonSchema) => boolean): void {
  const operation = route.operationId.slice(0, 1).toUpperCase() + route.operationId.slice(1)
  if (isNameable(route.body?.schema)) give(`${operation}Request`, route.body.schema)
  for (const [status, { schema }] of Object.entries(route.responses)) {
    if (!isNameable(schema)) continue
    const item = route.list ? names.get(step(schema, 'items []') ?? schema) : undefined
    if (item !== undefined && give(`${item}Page`, schema)) continue
    if (!give(`${operation}Response`, schema)) give(`${operation}Response${status}`, schema)
  }
}

const isNameable = (schema: JsonSchema | undefined): schema is JsonSchema =>
  schema?.type === 'object' && schema.properties !== undefined

/** Throws for a place that is not there: the list above must follow the table. */
function schemaAt(routes: readonly Route[], place: string): JsonSchema {
  const [operationId, status, ...rest] = place.split(' ')
  const route = routes.find((one) => one.operationId === operationId)
  const top = route?.responses[Number(status)]?.schema
  const found = top && step(top, rest.join(' '))
  if (found === undefined) throw new Error(`no schema at ${place}`)
  return found
}

function step(schema: JsonSchema, path: string): JsonSchema | undefined {
  let at: JsonSchema | undefined = schema
  for (const part of path.split(' ').filter((one) => one !== '')) {
    const next: unknown = part === '[]' ? at?.items : (at?.properties as JsonSchema | undefined)?.[part]
    at = next as JsonSchema | undefined
  }
  return at
}
