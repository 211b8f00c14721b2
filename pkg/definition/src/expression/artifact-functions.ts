import { type CelFunc, CelScalar, type CelValue, celFunc, celList, isCelList, isCelMap, listType } from '@bufbuild/cel'
import { checkListSize, spend } from './budget.js'
import { jsonToCel } from './json-to-cel.js'

const { DYN } = CelScalar

/**
 * What the `artifacts` of an output name, as `{name: {id, size}}`, in one list; of a map's output also by item. Items
 * without any, such as those that failed, have none in it.
 */
function artifactsOf(output: CelValue): CelValue[] {
  const found: CelValue[] = []
  const add = (owner: CelValue, index?: number): void => {
    spend(1)
    const named = isCelMap(owner) ? owner.get('artifacts') : undefined
    if (!isCelMap(named)) return
    for (const [name, file] of named) {
      const id = isCelMap(file) ? file.get('id') : undefined
      if (typeof id !== 'string') continue
      const size = isCelMap(file) ? file.get('size') : undefined
      const place = index === undefined ? {} : { index }
      checkListSize(
        found.push(jsonToCel({ ...place, name, id, ...(size === undefined ? {} : { size: Number(size) }) })),
      )
    }
  }
  if (isCelList(output)) [...output].forEach(add)
  else add(output)
  return found
}

export const artifactFunctions: CelFunc[] = [
  celFunc('artifacts', [DYN], listType(DYN), (output) => celList(artifactsOf(output))),
]
