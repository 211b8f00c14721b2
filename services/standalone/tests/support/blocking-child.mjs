// A child of the supervisor that serves for a moment and then blocks its event loop, the first time it is started.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricsText } from '@millrace/telemetry'
import { runChild } from '../../dist/children/run-child.js'

const mark = join(process.argv[2], 'was-here')

runChild(() => ({
  async start() {
    const blocks = !existsSync(mark)
    writeFileSync(mark, '')
    if (blocks)
      setTimeout(() => {
        for (;;);
      }, 50)
    else console.log(await metricsText())
  },
  drain: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}))
