import { readdir, readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { points } from './chaos/points.js'

const root = new URL('../', import.meta.url)
let sources = ''
let operations = ''

async function textOf(folder: string): Promise<string> {
  const names = await readdir(new URL(`${folder}/`, root), { recursive: true })
  const wanted = names.filter(
    (name) => /(^|\/)src\/.*\.ts$/.test(`${folder}/${name}`) && !/(dist|node_modules)\//.test(name),
  )
  return (await Promise.all(wanted.map((name) => readFile(new URL(`${folder}/${name}`, root), 'utf8')))).join('\n')
}

/** Whether the code has the point: by its name, or as a method of a store or of a transaction, or of a reader of events. */
function isThere(point: string): boolean {
  const method = /^scheduler\.(?:store|tx)\.(\w+)\.(?:before|after)$/.exec(point)?.[1]
  if (method !== undefined) return new RegExp(`\\b${method}\\b`).test(operations)
  if (/^events\.\w+\.delivered$/.test(point)) return sources.includes('crashPoint(`events.${group}.delivered`)')
  return sources.includes(`crashPoint('${point}')`)
}

beforeAll(async () => {
  sources = [await textOf('services'), await textOf('pkg')].join('\n')
  operations = await textOf('services/scheduler/src/db')
})

test('every crash point that the chaos suite waits for is in the code', () => {
  expect(points.length).toBeGreaterThanOrEqual(62)
  expect(points.map(({ name }) => name).filter((name) => !isThere(name))).toEqual([])
})

test('a point that was renamed would be found missing', () => {
  expect([isThere('scheduler.store.noSuchOperation.before'), isThere('worker.task.done')]).toEqual([false, false])
})
