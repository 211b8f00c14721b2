import type { Route } from '../types.js'

/** What `{id}` and the like stand for, by the segment of the path before it. */
const ofPath: Readonly<Record<string, string>> = {
  'sessions id': 'Id of the session',
  'users id': 'Id of the user',
  'projects slug': 'Slug of the project',
  'invitations id': 'Id of the invitation',
  'invitations token': 'The token of the mailed link',
  'members userId': 'Id of the user who is a member',
  'api-keys id': 'Id of the API key',
  'service-accounts id': 'Id of the service account',
  'secrets name': 'Name of the secret, as definitions name it',
  'workflows name': 'Name of the workflow',
  'workflows id': 'Id of the draft',
  'versions from': 'The version to compare from',
  'diff to': 'The version to compare to',
  'runs id': 'Id of the run',
  'tasks key': 'Key of the task; `key[index]` for one item of a map',
  'signals name': 'Name of the signal that a task waits for',
  'hooks id': 'Id of the hook',
  'hooks token': 'The token that was shown when the hook was made',
  'dlq id': 'Id of the dead letter',
  'docs file': 'Name of a file of the documentation page',
  'schedules id': 'Id of the schedule',
  'workers id': 'Id of the worker',
  'queues name': 'Name of the queue',
  'jobs id': 'Id of the job: `jobId` of a task of the run',
  'subscriptions id': 'Id of the subscription',
  'notifications id': 'Id of the notification',
  'artifacts id': 'Id of the artifact',
  'signed token': 'The signed part of the URL, as it was given out',
  'bulk id': 'Id of the bulk operation',
}

/** Of filters; a description in the route's own schema goes before. */
const ofQuery: Readonly<Record<string, string>> = {
  q: 'Only what contains this text in its name, id or error',
  tag: 'Only workflows with this tag',
  paused: 'Only those that are paused, or only those that are not',
  version: 'This version instead of the latest',
  workflow: 'Only of the workflow with this name',
  status: 'Only with one of these statuses, separated by commas',
  label: 'Only with this label, as `key=value`',
  from: 'From this time on',
  to: 'Before this time',
  order: 'Which come first; the newest unless given',
  types: 'Which events, separated by commas; all unless given',
  key: 'Only the task with this key; of a map its items',
  class: 'Only with one of these error classes, separated by commas',
  state: 'Only in one of these states, separated by commas',
  run: 'Only of the run with this id',
  task: 'Only of the task with this key',
  worker: 'Only what this worker executed',
  errorCode: 'Only what failed with this error code',
  follow: 'Keep the answer open and send lines as they come, until the end',
  attempt: 'Only lines of this attempt',
  level: 'Only lines of this level or above',
  subscription: 'Only of the subscription with this id',
  name: 'Only with exactly this name',
  n: 'How many times to list',
  provider: 'Id of the identity provider; may be left out where there is one',
  code: 'The code that the identity provider gives',
  bucket: 'Length of the buckets',
  actor: 'Only of this actor: `user:<id>`, `api_key:<id>` or a service',
  action: 'Only this action, such as `workflow.updated`',
  target: 'Only on this target, such as `workflow:<name>`',
  outcome: 'Only with one of these outcomes, separated by commas',
  allProjects: 'Entries of every project; for administrators of the platform',
}

export function describePathParameter(route: Route, name: string): string {
  const segments = route.path.split('/')
  const before = segments[segments.findIndex((segment) => segment === `{${name}}` || segment === `{${name}+}`) - 1]
  return ofPath[`${before} ${name}`] ?? `The ${name} in the path`
}

export const describeQueryParameter = (name: string): string => ofQuery[name] ?? `Filter by ${name}`
