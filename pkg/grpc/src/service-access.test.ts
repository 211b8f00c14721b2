import * as contracts from '@millrace/contracts'
import { expect, test } from 'vitest'
import { callersOf } from './service-access.js'

type Contract = { name: string; definition: Record<string, { path: string }> }

/** Asked by callers with a credential of their own, or with none. */
const notForServices = new Set(['millrace.scheduler.v1.SchedulerService', 'envoy.service.auth.v3.Authorization'])

const known = Object.values(contracts).filter(
  (entry): entry is typeof entry & Contract => typeof entry === 'object' && entry !== null && 'definition' in entry,
)
const paths = known.flatMap((contract) => Object.values(contract.definition).map(({ path }) => [path] as const))

test.each(paths)('%s says which services may call it', (path) => {
  const service = path.split('/')[1] ?? ''
  if (notForServices.has(service)) expect(callersOf(path)).toBeUndefined()
  else expect(callersOf(path)?.length).toBeGreaterThan(0)
})

test('secrets go to the scheduler alone, runs are made by it alone, tasks are leased by workers alone', () => {
  expect(callersOf('/millrace.iam.v1.IamService/GetSecrets')).toEqual(['scheduler'])
  expect(callersOf('/millrace.workflow.v1.WorkflowService/CreateRun')).toEqual(['scheduler'])
  expect(callersOf('/millrace.scheduler.v1.DispatchService/LeaseTasks')).toEqual(['worker'])
})
