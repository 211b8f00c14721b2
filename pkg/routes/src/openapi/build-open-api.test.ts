import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { routes } from '../table.js'
import { buildOpenApi, openApiPath } from './build-open-api.js'

type Media = { schema?: Record<string, unknown>; examples?: unknown }
type Body = { content?: Record<string, Media> }
type Operation = {
  operationId: string
  description: string
  requestBody?: Body
  security: unknown[]
  parameters: Record<string, unknown>[]
  responses: Record<string, Body>
}
type Document = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}
const document = buildOpenApi() as unknown as Document

const operationOf = (operationId: string): Operation => {
  const found = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .find((operation) => operation.operationId === operationId)
  if (!found) throw new Error(`no operation ${operationId}`)
  return found
}

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document) as never)
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(document.openapi).toMatch(/^3\.1\./)
  })

  it('describes every route of the table, and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(routes.map((route) => `${route.method} ${openApiPath(route)}`).toSorted())
  })

  it('asks for a token exactly where the table does', () => {
    for (const route of routes) {
      expect(operationOf(route.operationId).security.length === 0, route.operationId).toBe(route.access === 'open')
    }
  })

  it('declares every parameter of the path', () => {
    for (const route of routes) {
      const named = operationOf(route.operationId).parameters.filter((parameter) => parameter.in === 'path')
      const inPath = [...openApiPath(route).matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(named.map((parameter) => parameter.name)).toEqual(inPath)
    }
  })

  it('has every component that it refers to', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
    expect(references.length).toBeGreaterThan(100)
    for (const [, kind, name] of references) expect(document.components[kind ?? '']?.[name ?? '']).toBeDefined()
  })

  it('describes every operation and every parameter, in words of its own', () => {
    for (const { operationId } of routes) {
      const { description, parameters } = operationOf(operationId)
      expect(description.length, operationId).toBeGreaterThan(20)
      for (const parameter of parameters.filter((one) => one.$ref === undefined)) {
        const where = `${operationId} ${parameter.name}`
        expect(parameter.description, where).toMatch(/^\S.{3,}/)
      }
    }
  })

  it('names the schemas of bodies, so that generated clients have types with names', () => {
    const inline = routes.flatMap((route) => {
      const { requestBody, responses } = operationOf(route.operationId)
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.values(body?.content ?? {}))
      return bodies.some(({ schema }) => schema?.properties !== undefined) ? [route.operationId] : []
    })
    expect(inline).toEqual([])
    for (const name of ['Run', 'RunDetail', 'RunSummaryPage', 'StartRunRequest']) {
      expect(document.components.schemas?.[name]).toBeDefined()
    }
  })

  it('gives an example for every body that an operation takes', () => {
    const without = routes.filter((route) => {
      const media = Object.values(operationOf(route.operationId).requestBody?.content ?? {})[0]
      return route.body?.schema !== undefined && media?.examples === undefined
    })
    expect(without.map(({ operationId }) => operationId)).toEqual([])
  })

  it('says what log lines, logins and signed URLs answer', () => {
    expect(Object.keys(operationOf('getRunLogs').responses[200]?.content ?? {})).toEqual([
      'application/x-ndjson',
      'text/event-stream',
    ])
    expect(Object.keys(operationOf('login').responses)).toEqual(expect.arrayContaining(['401', '422', '431']))
    expect(operationOf('refresh').responses).toHaveProperty('401')
    expect(operationOf('getSignedArtifact').responses).toHaveProperty('403')
    expect(Object.keys(operationOf('getDefinitionSchema').responses[200]?.content ?? {})).toEqual([
      'application/schema+json',
    ])
  })

  it('documents a problem for every refusal a guarded list can give', () => {
    expect(Object.keys(operationOf('listRuns').responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '422', '429', '503']),
    )
  })
})
