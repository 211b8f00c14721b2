import { setTimeout as delay } from 'node:timers/promises'
import { login } from '../temporary-standalone.mjs'

const ended = new Set(['succeeded', 'failed', 'cancelled'])

/** One person at the gateway; asks again while nobody answers, as a person would. */
export async function connect({ url, admin }) {
  const token = await login(url, admin)

  async function call(method, path, body, headers = {}) {
    const type = typeof body === 'string' ? 'application/yaml' : 'application/json'
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), { status: answer.status })
    return text === '' ? undefined : JSON.parse(text)
  }

  async function patiently(method, path, body, headers) {
    const until = Date.now() + 60_000
    for (;;) {
      try {
        return await call(method, path, body, headers)
      } catch (error) {
        const mayPass = error.status === undefined || error.status >= 500 || error.status === 409
        if (!mayPass || Date.now() > until) throw error
        await delay(200)
      }
    }
  }

  async function runEnded(id, timeoutMs = 120_000) {
    const until = Date.now() + timeoutMs
    for (;;) {
      const run = await patiently('GET', `/api/v1/runs/${id}`)
      if (ended.has(run.status)) return run
      if (Date.now() > until) throw new Error(`run ${id} is still ${run.status}`)
      await delay(150)
    }
  }

  return { call, patiently, runEnded }
}
