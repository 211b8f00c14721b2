import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { routes } from '../table.js'
import { buildOpenApi, openApiPath } from './build-open-api.js'

type Operation = {
  operationId: string
  security: unknown[]
  parameters: Record<string, unknown>[]
  responses: Record<string, unknown>
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

  it('documents a problem for every refusal a guarded list can give', () => {
    expect(Object.keys(operationOf('listRuns').responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '422', '429', '503']),
    )
  })
})
