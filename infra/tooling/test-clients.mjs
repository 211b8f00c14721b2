// make test-clients: three foreign generators make a client of the OpenAPI document that a standalone serves; each client
// creates the workflow of examples/, runs it against a shop on loopback and reads what became of it.
import './check-node.mjs'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { pythonTool } from './python-tool.mjs'
import { withStandalone } from './temporary-standalone.mjs'

const pythonGenerator = '0.29.1'
/** The package carries the generator's jar. The others are what its clients import. */
const generatorCli = '7.26.0'
const importedByClients = ['pydantic==2.14.3', 'python-dateutil==4.0.0', 'urllib3==2.8.0', 'typing-extensions==4.16.0']
const root = fileURLToPath(new URL('../../', import.meta.url))
const clients = join(root, 'infra/tooling/clients')
const example = parse(readFileSync(join(root, 'examples/order-fulfilment.yaml'), 'utf8'))

async function openShop() {
  const answers = { '/orders/1001': { total: 42.5, email: 'buyer@example.test' }, '/payments': { receipt: 'R-7' } }
  const shop = createServer((req, res) => {
    req.resume()
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[req.url] ?? {}))
  }).listen(0, '127.0.0.1')
  await once(shop, 'listening')
  return shop
}

async function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`)
}

/** What each client is told, with a name of its own for the workflow. */
const environment = ({ url, admin }, shopUrl, name) => ({
  ...process.env,
  MILLRACE_URL: url,
  MILLRACE_EMAIL: admin.email,
  MILLRACE_PASSWORD: admin.password,
  SHOP_URL: shopUrl,
  DEFINITION: JSON.stringify({ ...example, name }),
})

async function python(folder, document, env) {
  const bin = pythonTool('openapi-python-client', pythonGenerator)
  const out = ['--output-path', join(folder, 'client'), '--meta', 'none', '--overwrite']
  // It warns of what it leaves out: YAML bodies, and contents of any type.
  const quiet = { stdio: 'ignore' }
  await run(join(bin, 'openapi-python-client'), ['generate', '--path', document, ...out], quiet)
  copyFileSync(join(clients, 'order.py'), join(folder, 'order.py'))
  await run(join(bin, 'python'), [join(folder, 'order.py')], { env: { ...env, PYTHONDONTWRITEBYTECODE: '1' } })
}

/** Needs Java. What it prints is shown when it fails alone: it warns of every schema without a type. */
async function generator(folder, document, env) {
  const bin = pythonTool('openapi-generator-cli', generatorCli, importedByClients)
  const properties = '--additional-properties=packageName=client,generateSourceCodeOnly=true'
  const args = ['generate', '-i', document, '-g', 'python', '-o', folder, properties]
  const { status, stderr } = spawnSync(join(bin, 'openapi-generator-cli'), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openapi-generator-cli failed:\n${stderr}`)
  copyFileSync(join(clients, 'order_of_generator_cli.py'), join(folder, 'order.py'))
  await run(join(bin, 'python'), [join(folder, 'order.py')], { env: { ...env, PYTHONDONTWRITEBYTECODE: '1' } })
}

/** The types are checked by the compiler that the generator needs, then the program runs as it was compiled. */
async function typescript(folder, document, env) {
  const require = createRequire(join(root, 'web/package.json'))
  const { default: openapiTS, astToString } = require('openapi-typescript')
  writeFileSync(join(folder, 'schema.d.ts'), astToString(await openapiTS(JSON.parse(readFileSync(document, 'utf8')))))
  copyFileSync(join(clients, 'order.ts'), join(folder, 'order.ts'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const options = ['--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022']
  const types = ['--types', 'node', '--skipLibCheck', '--outDir', join(folder, 'out')]
  const tsc = join(require.resolve('typescript'), '../tsc.js')
  await run(process.execPath, [tsc, ...options, ...types, 'order.ts'], { cwd: folder })
  await run(process.execPath, [join(folder, 'out/order.js')], { env })
}

const shop = await openShop()
const address = `127.0.0.1:${shop.address().port}`
const folder = mkdtempSync(join(tmpdir(), 'millrace-clients-'))
try {
  await withStandalone({ MILLRACE_EGRESS_ALLOW: address, MILLRACE_LOG_LEVEL: 'warn' }, async (standalone) => {
    const document = join(folder, 'openapi.json')
    writeFileSync(document, await (await fetch(`${standalone.url}/api/v1/openapi.json`)).text())
    for (const [name, test] of Object.entries({ python, typescript, generator })) {
      const place = join(folder, name)
      mkdirSync(place)
      await test(place, document, environment(standalone, `http://${address}`, `order-by-${name}`))
    }
  })
} finally {
  shop.close()
  rmSync(folder, { recursive: true, force: true })
}
