import { buildOpenApi } from '@millrace/routes'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsModule from 'ajv-formats'
import { expect, test } from 'vitest'

type Media = { schema: object; examples?: Record<string, { value: unknown }> }
type Body = { content?: Record<string, Media> }
type Operation = { operationId: string; requestBody?: Body; responses: Record<string, Body> }

const document = buildOpenApi() as unknown as { paths: Record<string, Record<string, Operation>>; components: object }
const ajv = new Ajv2020({ strict: false })
formatsModule.default(ajv)

function faultsOf(operation: Operation, body: Body | undefined): string[] {
  return Object.values(body?.content ?? {}).flatMap(({ schema, examples = {} }) =>
    Object.values(examples).flatMap(({ value }) => {
      const validate = ajv.compile({ ...schema, components: document.components })
      return validate(value) ? [] : [`${operation.operationId}: ${ajv.errorsText(validate.errors)}`]
    }),
  )
}

test('every example of the OpenAPI document fits its schema', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  const faults = operations.flatMap((operation) =>
    [operation.requestBody, ...Object.values(operation.responses)].flatMap((body) => faultsOf(operation, body)),
  )
  expect(faults).toEqual([])
})
