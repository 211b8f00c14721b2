import type { FieldPath, PathSegment } from './field-path.js'
import { isObject, type JsonObject, setOwn } from './json-value.js'
import type { LocatedProblem } from './schema/check-schema.js'

export interface Normalised {
  value: unknown
  problems: LocatedProblem[]
  /** Where a part of the normalised definition stands in the source. */
  sourcePath(path: FieldPath): FieldPath
}

/** Lists of tasks become records, and `dependencies` become `needs`. Anything of the wrong shape is left for the schema. */
export function normalise(source: unknown): Normalised {
  const problems: LocatedProblem[] = []
  if (!isObject(source)) return { value: source, problems, sourcePath: (path) => path }
  const { dependencies, ...rest } = source
  const places = new Map<string, FieldPath>()
  const edgePlaces = new Map<string, FieldPath>()
  const value: JsonObject = rest
  if (Array.isArray(source.tasks)) value.tasks = fromList(source.tasks, places, problems)
  else if (isObject(source.tasks)) value.tasks = copyTasks(source.tasks)
  if (dependencies !== undefined) addEdges(value, dependencies, edgePlaces, problems)
  return { value, problems, sourcePath: (path) => locate(path, places, edgePlaces) }
}

function copyTasks(tasks: JsonObject): JsonObject {
  const copy: JsonObject = {}
  for (const key of Object.keys(tasks)) setOwn(copy, key, isObject(tasks[key]) ? { ...tasks[key] } : tasks[key])
  return copy
}

function fromList(list: unknown[], places: Map<string, FieldPath>, problems: LocatedProblem[]): JsonObject {
  const tasks: JsonObject = {}
  list.forEach((item, index) => {
    const path = ['tasks', index]
    if (!isObject(item)) {
      problems.push({ path, code: 'type', message: 'must be object' })
      return
    }
    const { key, ...task } = item
    if (typeof key !== 'string') {
      problems.push({ path: [...path, 'key'], code: 'required', message: 'key is required' })
    } else if (Object.hasOwn(tasks, key)) {
      problems.push({ path: [...path, 'key'], code: 'duplicate_key', message: `there is another task ${key}` })
    } else {
      setOwn(tasks, key, task)
      places.set(key, path)
    }
  })
  return tasks
}

function addEdges(
  value: JsonObject,
  dependencies: unknown,
  places: Map<string, FieldPath>,
  problems: LocatedProblem[],
): void {
  if (!isObject(dependencies)) {
    problems.push({ path: ['dependencies'], code: 'type', message: 'must be object' })
    return
  }
  const tasks = isObject(value.tasks) ? value.tasks : {}
  for (const [key, needs] of Object.entries(dependencies)) {
    const path = ['dependencies', key]
    const task = Object.hasOwn(tasks, key) ? tasks[key] : undefined
    if (!Array.isArray(needs) || needs.some((need) => typeof need !== 'string')) {
      problems.push({ path, code: 'type', message: 'must be a list of task keys' })
    } else if (!isObject(task)) {
      problems.push({ path, code: 'unknown_task', message: `there is no task ${key}` })
    } else {
      const own = Array.isArray(task.needs) ? task.needs : []
      const added = needs.filter((need) => !own.includes(need))
      added.forEach((_, i) => {
        places.set(`${key}/${own.length + i}`, [...path, needs.indexOf(added[i])])
      })
      task.needs = [...own, ...new Set(added)]
    }
  }
}

function locate(path: FieldPath, places: Map<string, FieldPath>, edges: Map<string, FieldPath>): FieldPath {
  const [root, key, field, index] = path
  if (root !== 'tasks' || typeof key !== 'string') return path
  const edge = field === 'needs' ? edges.get(`${key}/${index as PathSegment}`) : undefined
  if (edge !== undefined) return edge
  const place = places.get(key)
  return place === undefined ? path : [...place, ...path.slice(2)]
}
