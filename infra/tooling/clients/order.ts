// The order example through openapi-fetch, by the types that openapi-typescript has generated from the OpenAPI document.
import createClient from 'openapi-fetch'
import type { paths } from './schema'

const env = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const baseUrl = env('MILLRACE_URL')
const querySerializer = { array: { style: 'form', explode: false } } as const

async function order(): Promise<void> {
  const credentials = { email: env('MILLRACE_EMAIL'), password: env('MILLRACE_PASSWORD') }
  const { data: tokens } = await createClient<paths>({ baseUrl }).POST('/api/v1/auth/login', { body: credentials })
  if (!tokens) throw new Error('login failed')
  const headers = { authorization: `Bearer ${tokens.accessToken}` }
  const client = createClient<paths>({ baseUrl, headers, querySerializer })
  const body = JSON.parse(env('DEFINITION'))
  const { data: workflow } = await client.POST('/api/v1/workflows', { body })
  if (!workflow) throw new Error('the workflow was not created')
  const { error } = await client.POST('/api/v1/workflows', { body })
  if (error?.code !== 'workflow_exists') throw new Error(`created twice: ${JSON.stringify(error)}`)
  const path = { name: workflow.name }
  const asked = { input: { orderId: '1001', shopUrl: env('SHOP_URL') } }
  const { data: started } = await client.POST('/api/v1/workflows/{name}/runs', { params: { path }, body: asked })
  if (!started) throw new Error('the run was not started')
  for (const until = Date.now() + 60_000; ; await new Promise((resolve) => setTimeout(resolve, 200))) {
    const { data: run } = await client.GET('/api/v1/runs/{id}', { params: { path: { id: started.id } } })
    if (run?.status === 'succeeded') break
    if (!run || run.status === 'failed' || Date.now() > until) throw new Error(`no success: ${JSON.stringify(run)}`)
  }
  const query = { workflow: workflow.name, status: ['succeeded' as const, 'failed' as const] }
  const { data: found } = await client.GET('/api/v1/runs', { params: { query } })
  if (found?.items.map(({ id }) => id).join() !== started.id) throw new Error(`not found: ${JSON.stringify(found)}`)
  console.log('openapi-typescript: the order is paid')
}

void order()
