export interface ProcessMetrics {
  process: string
  /** In Prometheus' text format; undefined when the process did not answer. */
  text: string | undefined
}

interface Family {
  /** `# HELP` and `# TYPE`, which a document may have once for each name. */
  head: string[]
  samples: string[]
}

const upHead = ['# HELP process_up Whether the process answered for its metrics', '# TYPE process_up gauge']

/** One document of all: the samples of each process carry its name, as several measure the same. */
export function mergeMetrics(all: readonly ProcessMetrics[]): string {
  const families = new Map<string, Family>()
  for (const { process, text } of all) {
    if (text !== undefined) addProcess(families, process, text)
  }
  const up = all.map(({ process, text }) => `process_up{process="${process}"} ${text === undefined ? 0 : 1}`)
  const parts = [...families.values()].map(({ head, samples }) => [...head, ...samples].join('\n'))
  return `${[[...upHead, ...up].join('\n'), ...parts].join('\n\n')}\n`
}

function addProcess(families: Map<string, Family>, process: string, text: string): void {
  let family: Family = { head: [], samples: [] }
  let first = false
  for (const line of text.split('\n')) {
    const name = /^# HELP (\S+)/.exec(line)?.[1]
    if (name !== undefined) {
      first = !families.has(name)
      family = families.get(name) ?? { head: [], samples: [] }
      families.set(name, family)
    }
    if (line.startsWith('#')) {
      if (first) family.head.push(line)
    } else if (line !== '') family.samples.push(withProcess(line, process))
  }
}

/** `name{a="b"} 1` or `name 1`; a label's value may contain anything, the name may not. */
function withProcess(sample: string, process: string): string {
  const end = sample.search(/[{ ]/)
  const name = sample.slice(0, end)
  const label = `process="${process}"`
  return sample[end] === '{' ? `${name}{${label},${sample.slice(end + 1)}` : `${name}{${label}}${sample.slice(end)}`
}
