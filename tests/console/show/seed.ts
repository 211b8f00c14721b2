import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Client, login, newUser } from '../../support/client.js'
import { addMember } from '../../support/members.js'
import type { Target } from '../../support/target.js'

/** A shop's project as it looks after some weeks: hundreds of runs, failures of several kinds, long names, things that wait. */
export interface Shop {
  person: { id: string; email: string; password: string }
  slug: string
  client: Client
  /** A run with a map of 500 items, some of which failed, that waits for an approval. */
  orderRunId: string
  failedRunId: string
  logRunId: string
  /** A run that failed and undid what it had done. */
  undoneRunId: string
  /** When the first of its runs was started. */
  since: Date
}

const once = { maxAttempts: 1 }
const waveMs = 4_000

const fulfilment = {
  name: 'order-fulfilment',
  description: 'Fetch an order, take the payment, pack 500 parcels, ask a person, send the invoice.',
  tags: ['shop', 'orders'],
  expectedDuration: '30s',
  input: {
    type: 'object',
    required: ['orderId'],
    properties: {
      orderId: { type: 'string', description: 'As the shop numbers it' },
      express: { type: 'boolean', default: false },
      parcels: { type: 'integer', minimum: 1, maximum: 500, default: 500 },
      channel: { type: 'string', enum: ['web', 'phone', 'partner'] },
    },
  },
  tasks: {
    'fetch-order': { uses: 'noop', with: { output: { total: 129.9, currency: 'EUR', lines: 500 } } },
    'check-stock': { needs: ['fetch-order'], uses: 'sleep', with: { duration: '700ms' } },
    'fraud-check': { needs: ['fetch-order'], uses: 'sleep', with: { duration: '1200ms' } },
    'take-payment': {
      needs: ['fraud-check'],
      uses: 'fail',
      with: { times: 1, class: 'network', message: 'connect ETIMEDOUT payments.example:443' },
      retry: { maxAttempts: 3, delay: '200ms', jitter: 'none' },
    },
    'pack-parcels': {
      needs: ['take-payment', 'check-stock'],
      uses: 'map',
      onFailure: 'continue',
      with: {
        items: '${{ input.items }}',
        maxParallel: 40,
        task: {
          uses: 'fail',
          with: { times: '${{ item % 61 == 7 ? 9 : 0 }}', message: 'label printer is out of paper' },
          retry: once,
        },
      },
    },
    'print-documents-for-customs-and-carrier-in-all-languages': {
      needs: ['take-payment'],
      uses: 'transform',
      with: { value: { pages: 12 } },
    },
    'sign-off': {
      needs: ['pack-parcels', 'print-documents-for-customs-and-carrier-in-all-languages'],
      when: 'all_done',
      uses: 'approval',
      with: { role: 'operator', message: 'Nine labels did not print. Ship the rest?' },
      timeout: '24h',
    },
    invoice: {
      needs: ['sign-off'],
      uses: 'workflow',
      with: { name: 'invoice', input: { order: '${{ input.orderId }}' } },
    },
    'tell-customer': { needs: ['invoice'], when: 'all_done', uses: 'noop' },
  },
}

const workflows: object[] = [
  fulfilment,
  {
    name: 'invoice',
    description: 'Write, sign and file an invoice.',
    tags: ['shop', 'finance'],
    tasks: {
      write: { uses: 'noop' },
      sign: { needs: ['write'], uses: 'noop' },
      file: { needs: ['sign'], uses: 'noop' },
    },
  },
  {
    name: 'nightly-report',
    tags: ['reports'],
    tasks: {
      collect: { uses: 'sleep', with: { duration: '150ms' } },
      render: {
        needs: ['collect'],
        uses: 'fail',
        with: { class: 'timeout', message: 'the warehouse did not answer within 30 s' },
        retry: once,
      },
      mail: { needs: ['render'], uses: 'noop' },
    },
  },
  {
    name: 'sync-inventory',
    tags: ['shop'],
    tasks: { pull: { uses: 'noop' }, push: { needs: ['pull'], uses: 'noop' } },
  },
  {
    name: 'customer-data-platform-incremental-synchronisation-eu-west-1',
    description: 'A name as long as names may be, to see what a screen makes of it.',
    tags: ['data', 'customers', 'gdpr', 'eu-west-1'],
    tasks: { extract: { uses: 'sleep', with: { duration: '80ms' } }, load: { needs: ['extract'], uses: 'noop' } },
  },
  {
    name: 'refund',
    tags: ['shop', 'finance'],
    tasks: {
      charge: {
        uses: 'fail',
        with: {
          class: 'http_4xx',
          message:
            'POST https://payments.example/v1/refunds answered 422: {"error":"amount_exceeds_charge","charge":"ch_3PqX","max":12990}',
        },
        retry: once,
      },
    },
  },
  {
    name: 'order-saga',
    description: 'Reserve, charge and ship; what was done is undone when a later step fails.',
    tags: ['shop', 'orders'],
    tasks: {
      'reserve-stock': {
        uses: 'noop',
        with: { output: { reservation: 'R-20931' } },
        compensate: { uses: 'sleep', with: { duration: '250ms' } },
      },
      'charge-card': {
        needs: ['reserve-stock'],
        uses: 'sleep',
        with: { duration: '400ms' },
        compensate: { uses: 'sleep', with: { duration: '600ms' } },
      },
      'book-carrier': {
        needs: ['reserve-stock'],
        uses: 'sleep',
        with: { duration: '300ms' },
        compensate: {
          uses: 'fail',
          with: { times: 1, class: 'http_5xx', message: 'DELETE https://carrier.example/v2/pickups/88 answered 503' },
          retry: { maxAttempts: 3, delay: '100ms', jitter: 'none' },
        },
      },
      ship: {
        needs: ['charge-card', 'book-carrier'],
        uses: 'fail',
        with: { class: 'non_retryable', message: 'the address is not in the carrier’s area' },
        retry: once,
      },
      'tell-customer': { needs: ['ship'], uses: 'noop' },
    },
  },
  { name: 'thumbnails', tags: ['media'], tasks: { resize: { uses: 'images.resize', with: { width: 320 } } } },
  {
    name: 'build-and-deploy',
    tags: ['ci'],
    tasks: {
      build: { uses: 'shell', with: { command: buildScript() } },
      test: { needs: ['build'], uses: 'noop' },
      deploy: { needs: ['test'], uses: 'signal', with: { name: 'deploy-window' } },
    },
  },
]

function buildScript(): string {
  return [
    'printf "\\033[1m> build\\033[0m\\n"',
    'for i in $(seq 1 40); do printf "\\033[32m✓\\033[0m compiled module %s in %s ms\\n" $i $((i * 7 % 90)); done',
    'printf "\\033[33mwarning\\033[0m 3 modules import a deprecated API\\n" >&2',
    'printf "\\033[31merror\\033[0m TS2345: Argument of type string is not assignable to parameter of type OrderId (ignored)\\n" >&2',
    'echo "done: 40 modules, a very long line follows: $(seq -s , 1 160)"',
  ].join('\n')
}

export async function seedShop(target: Target, runs = 300): Promise<Shop> {
  // A deployment of one's own has nobody else's names.
  const mark = target.standalone ? '' : `-${randomUUID().slice(0, 4)}`
  const owner = await newUser(target, { name: 'Ada Keller', email: `ada${mark}@acme.example` })
  const slug = `acme-shop${mark}`
  await owner.client.want(201, 'POST', '/api/v1/projects', { body: { slug, name: 'Acme shop' } })
  const client = (await login(target, owner)).in(slug)
  for (const workflow of workflows) await client.createWorkflow(workflow)
  await client.want(200, 'PUT', '/api/v1/workflows/sync-inventory', {
    body: {
      name: 'sync-inventory',
      tags: ['shop'],
      tasks: {
        pull: { uses: 'noop' },
        check: { needs: ['pull'], uses: 'noop' },
        push: { needs: ['check'], uses: 'noop' },
      },
    },
  })
  const since = new Date()
  const undone = await client.startRun('order-saga', {
    input: { order: '2026-004698' },
    labels: { team: 'fulfilment' },
  })
  await startMany(client, runs)
  const items = Array.from({ length: 500 }, (_, index) => index)
  const order = await client.startRun('order-fulfilment', {
    input: { orderId: '2026-004711', items },
    labels: { team: 'fulfilment', region: 'eu-west-1' },
  })
  const log = await client.startRun('build-and-deploy', { labels: { commit: '9f2c1e7' } })
  await client.startRun('thumbnails', { labels: { source: 'upload' } })
  await client.startRun('sync-inventory', { delaySeconds: 7_200 })
  await client.startRun('sync-inventory', { hold: true })
  const failed = await client.startRun('refund', {
    input: { charge: 'ch_3PqX', amount: 14_990 },
    labels: { team: 'finance' },
  })
  await seedRooms(target, client, slug, order.id)
  await client.runUntil(
    order.id,
    'waits',
    (run) => run.tasks.some((task) => task.key === 'sign-off' && task.status === 'waiting'),
    120_000,
  )
  await client.ended(failed.id)
  await client.want(202, 'POST', `/api/v1/runs/${failed.id}/rerun`, {
    body: { input: { charge: 'ch_3PqX', amount: 12_990 } },
  })
  await client.ended(undone.id)
  const runIds = { orderRunId: order.id, failedRunId: failed.id, logRunId: log.id, undoneRunId: undone.id }
  return { person: owner, slug, client, ...runIds, since }
}

const spread = [
  'sync-inventory',
  'invoice',
  'customer-data-platform-incremental-synchronisation-eu-west-1',
  'sync-inventory',
  'invoice',
  'nightly-report',
  'sync-inventory',
  'refund',
  'invoice',
  'invoice',
]

/** In waves some seconds apart, so that what is drawn over time has something to draw. */
async function startMany(client: Client, count: number): Promise<void> {
  const waves = 12
  for (let wave = 0; wave < waves; wave += 1) {
    // More in the middle than at the ends, as in the course of a day.
    const size = (count / waves) * (0.5 + Math.sin((Math.PI * (wave + 0.5)) / waves) * 0.8)
    for (const [index, name] of spread.entries()) {
      // What fails, fails now and then.
      const share = Math.round(size / spread.length) - ((index === 5 || index === 7) && wave % 3 !== 0 ? 2 : 0)
      if (share <= 0) continue
      const items = Array.from({ length: share }, (_, n) => ({
        input: { n },
        labels: { team: index % 2 === 0 ? 'fulfilment' : 'finance' },
      }))
      await client.want(202, 'POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items } })
    }
    await setTimeout(waveMs)
  }
}

async function seedRooms(target: Target, client: Client, slug: string, orderRunId: string): Promise<void> {
  const schedules = [
    {
      workflow: 'nightly-report',
      cron: '30 2 * * 1-5',
      timezone: 'Europe/Berlin',
      name: 'Report before the warehouse opens',
    },
    { workflow: 'sync-inventory', every: '15m' },
    { workflow: 'invoice', cron: '0 9 1 * *', timezone: 'America/New_York', paused: true },
    { workflow: 'sync-inventory', cron: '*/5 * * * * *', timezone: 'UTC', name: 'Stock levels to the shop' },
  ]
  for (const body of schedules) await client.want(201, 'POST', '/api/v1/schedules', { body })
  const subscriptions = [
    {
      events: ['workflow.completed', 'task.dead-lettered'],
      filter: { workflow: 'refund' },
      channel: { type: 'webhook', url: `${target.sink.url}/hooks/millrace` },
    },
    {
      events: ['approval.requested'],
      channel: { type: 'email', to: ['on-call@acme.example', 'shift-lead@acme.example'] },
    },
  ]
  for (const body of subscriptions) await client.want(201, 'POST', '/api/v1/subscriptions', { body })
  for (const [name, contentType, content] of artifacts) {
    const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', {
      body: { runId: orderRunId, task: 'fetch-order', name, contentType },
    })
    await client.want(200, 'PUT', `/api/v1/artifacts/${id}/content`, {
      raw: content,
      headers: { 'content-type': 'application/octet-stream' },
    })
  }
  for (const [name, role] of [
    ['deploys', 'editor'],
    ['grafana', 'viewer'],
    ['warehouse-workers', 'worker'],
  ] as const)
    await client.want(201, 'POST', '/api/v1/api-keys', { body: { name, role } })
  for (const name of ['payments_token', 'smtp_password', 'warehouse_dsn'])
    await client.call('PUT', `/api/v1/secrets/${name}`, { body: { value: 'not shown anywhere' } })
  for (const [email, role] of [
    ['grace@acme.example', 'operator'],
    ['alan@acme.example', 'viewer'],
  ] as const)
    await client.want(201, 'POST', `/api/v1/projects/${slug}/invitations`, { body: { email, role } })
  const colleague = await newUser(target, { name: 'Grace Okafor' })
  await addMember(target, slug, colleague.id, 'operator')
}

const artifacts: [string, string, string][] = [
  [
    'parcels.csv',
    'text/csv',
    `parcel,carrier,weight\n${Array.from({ length: 60 }, (_, n) => `P-${1000 + n},${n % 3 ? 'DHL' : 'UPS'},${(n * 37) % 900}`).join('\n')}`,
  ],
  [
    'summary.json',
    'application/json',
    JSON.stringify({ orders: 1_204, parcels: 48_112, failed: 8, byCarrier: { DHL: 30_002, UPS: 18_110 } }),
  ],
  [
    'customs-declaration-for-the-destination-country-in-all-languages.txt',
    'text/plain',
    'Declaration\n===========\nGoods: books\n',
  ],
]
