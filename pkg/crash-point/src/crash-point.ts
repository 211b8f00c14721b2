import { readFileSync, unlinkSync } from 'node:fs'

/**
 * Where a process can be made to die, as if the power went exactly there. Tests name a file in MILLRACE_CRASH_FILE; one
 * that holds `<point> <n>` makes the process that reaches the point for the n-th time from then on remove the file and
 * kill itself with SIGKILL. The file says what to do so that one deployment can be killed again and again. Without the
 * variable, as in every real deployment, a point costs a comparison.
 */
const file = process.env.MILLRACE_CRASH_FILE

const hits = new Map<string, number>()

export function crashPoint(name: string): void {
  if (file !== undefined) look(file, name)
}

function look(path: string, name: string): void {
  const order = read(path)
  if (order === undefined || !order.startsWith(`${name} `)) return
  const count = (hits.get(order) ?? 0) + 1
  hits.set(order, count)
  if (count < Number(order.split(' ')[1])) return
  try {
    // Whoever removes it is the one to die.
    unlinkSync(path)
  } catch {
    return
  }
  process.kill(process.pid, 'SIGKILL')
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** The object itself, or, where points are armed, one whose methods have a point before and after each. */
export function around<T extends object>(prefix: string, target: T): T {
  if (file === undefined) return target
  return new Proxy(target, {
    get(object, key) {
      const member: unknown = Reflect.get(object, key)
      if (typeof member !== 'function' || typeof key !== 'string') return member
      return async (...args: unknown[]) => {
        crashPoint(`${prefix}.${key}.before`)
        const answer: unknown = await Reflect.apply(member, object, args)
        crashPoint(`${prefix}.${key}.after`)
        return answer
      }
    },
  })
}
