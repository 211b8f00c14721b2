import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as contracts from './index.js'

test.each([
  [contracts.iamServiceDefinition, 'millrace.iam.v1.IamService', []],
  [contracts.authorizationDefinition, 'envoy.service.auth.v3.Authorization', []],
  [contracts.workflowServiceDefinition, 'millrace.workflow.v1.WorkflowService', []],
  [contracts.schedulerServiceDefinition, 'millrace.scheduler.v1.SchedulerService', ['WatchRun']],
  [
    contracts.schedulerInternalDefinition,
    'millrace.scheduler.v1.SchedulerInternalService',
    ['ReadChanged', 'WatchRun'],
  ],
  [contracts.scheduleServiceDefinition, 'millrace.scheduler.v1.ScheduleService', []],
  [contracts.dispatchDefinition, 'millrace.scheduler.v1.DispatchService', ['Commands', 'Work']],
  [contracts.workerServiceDefinition, 'millrace.worker.v1.WorkerService', []],
  [contracts.logServiceDefinition, 'millrace.metadata.v1.LogService', []],
] as const)('%# loads under its wire name, with its streams', (contract, name, streams) => {
  expect(contract.name).toBe(name)
  const methods = Object.entries(contract.definition)
  expect(methods.length).toBeGreaterThan(0)
  for (const [method, { path }] of methods) expect(path).toBe(`/${name}/${method}`)
  expect(methods.filter(([, { responseStream }]) => responseStream).map(([method]) => method)).toEqual(streams)
})

test('a message survives the wire with every field present', () => {
  const { requestSerialize, requestDeserialize } = contracts.dispatchDefinition.definition.LeaseTasks ?? {}
  const back = requestDeserialize?.(requestSerialize?.({}) ?? Buffer.alloc(0))
  expect(Object.values(back as object).every((value) => value !== undefined)).toBe(true)
})

test('every event of the contract can be found by its name', () => {
  const generated = new URL('./gen/millrace/events/v1/', import.meta.url)
  for (const file of readdirSync(generated)) {
    const name = file.replace('.ts', '')
    expect(contracts.eventType(name).name).toBe(name)
  }
  expect(() => contracts.eventType('Nothing')).toThrow()
})

test('Envoy’s field numbers are Envoy’s', () => {
  const { requestSerialize } = contracts.authorizationDefinition.definition.Check ?? {}
  const bytes = requestSerialize?.({ attributes: { request: { http: { method: 'GET', path: '/x' } } } })
  // attributes = 1, request = 4, http = 2, method = 2, path = 4
  expect(bytes?.toString('hex')).toBe('0a0d220b1209' + '1203' + '474554' + '2202' + '2f78')
})
