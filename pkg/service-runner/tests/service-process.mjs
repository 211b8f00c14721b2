// A service for the tests of runService; its standard output tells what happens to it.
import { setTimeout as delay } from 'node:timers/promises'
import { ConfigError } from '@millrace/config'
import { runService } from '../dist/index.js'

const say = (text) => process.stdout.write(`${text}\n`)

await runService({
  name: 'sample',
  readConfig({ FAULT, MODE }) {
    if (FAULT) throw new ConfigError(['ONE is wrong', 'TWO is missing'])
    return { logLevel: 'info', mode: MODE }
  },
  exitsWithParent: ({ mode }) => mode === 'child',
  create({ mode }, _deps, end) {
    // Like an open listener.
    setInterval(() => undefined, 1000)
    return {
      httpPort: 4321,
      async start() {
        say('starting')
        if (mode === 'slow') await delay(60_000)
        if (mode === 'broken') throw new Error('no ground to stand on')
        if (mode === 'done') setImmediate(end)
        say('started')
      },
      async stop(drainTimeoutMs) {
        say(`stopping ${drainTimeoutMs}`)
        await delay(100)
        if (mode === 'stubborn') throw new Error('cannot let go')
        say('stopped')
      },
    }
  },
})
