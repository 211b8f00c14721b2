import { outside, profileSection, sections } from './meanings.mjs'

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]

function formatDuration(ms) {
  const [unit, size] = units.find(([, size]) => ms > 0 && ms % size === 0) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

function formatDefault({ kind, default: value }) {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return undefined
  if (kind === 'duration') return `\`${formatDuration(value)}\``
  return `\`${Array.isArray(value) ? value.join(',') : value}\``
}

function defaultOf(name, entries, meaning) {
  const shown = [...new Set(entries.map(formatDefault).filter((text) => text !== undefined))]
  if (meaning.dynamic) return meaning.default
  if (shown.length > 1) throw new Error(`${name} has several defaults: ${shown.join(', ')}`)
  if (shown.length === 1) {
    if (meaning.default) throw new Error(`${name} has the default ${shown[0]} in the code and another in meanings.mjs`)
    return shown[0]
  }
  return meaning.default ?? requirement(entries)
}

function requirement(entries) {
  const optional = entries.filter(({ required }) => !required).map(({ process }) => process)
  if (optional.length === entries.length) return '–'
  return optional.length === 0 ? 'required' : `required, except for ${optional.join(' and ')}`
}

const kinds = {
  text: 'text',
  boolean: '`true` or `false`',
  duration: 'duration',
  url: 'URL',
  address: '`host:port`',
  list: 'comma list',
  secret: 'secret',
  key: 'secret: 32 bytes as base64 or hex',
}

function valueText(name, { kind, min, max, values }, { unit }) {
  if (kind === 'choice') {
    return values
      .filter((value) => value !== '')
      .map((value) => `\`${value}\``)
      .join(', ')
  }
  if (kind === 'duration') return `${kinds.duration}${range(min || undefined, max, formatDuration)}`
  if (kind !== 'integer') return kinds[kind]
  if (name.endsWith('_PORT')) return 'port'
  return `${unit ?? 'whole number'}${range(min, max, String)}`
}

function range(min, max, format) {
  if (min !== undefined && max !== undefined) return `, ${format(min)} to ${format(max)}`
  if (min !== undefined) return `, at least ${format(min)}`
  return max === undefined ? '' : `, at most ${format(max)}`
}

function row(name, entries, meaning) {
  const readers = entries.map(({ process }) => process).join(', ')
  const cells = [`\`${name}\``, defaultOf(name, entries, meaning), valueText(name, entries[0], meaning), readers]
  return `| ${cells.join(' | ')} | ${meaning.about} |`
}

function section({ title, intro, settings, outro }, found) {
  const head = '| name | default | value | read by | meaning |\n|---|---|---|---|---|'
  const rows = Object.entries(settings).map(([name, meaning]) => row(name, found.get(name), meaning))
  return [`## ${title}`, intro, [head, ...rows].join('\n'), outro].filter(Boolean).join('\n\n')
}

function profiles(profileSettings) {
  const names = Object.keys(profileSettings)
  const rows = Object.entries(profileSection).map(([name, { setting, unit, about }]) => {
    const values = names.map((profile) => String(profileSettings[profile][setting]))
    return `| \`${name}\` | ${values.join(' | ')} | ${about}${unit ? ` (${unit})` : ''} |`
  })
  return `## Profiles

\`MILLRACE_SCHEDULER_PROFILE\` sets these together; one that is set by its own name counts instead. Read by the scheduler.

| name | ${names.map((name) => `\`${name}\``).join(' | ')} | meaning |
|---|${'---|'.repeat(names.length + 1)}
${rows.join('\n')}

\`latency\` is for people and short tasks. \`throughput\` is for many short tasks at a time. \`batch\` is for long tasks by the thousand, where a second is nothing.
A [queue's own \`profile\`](../guides/queues.md) goes before the scheduler's where tasks are handed out (the row \`SYNC_MATCH\`), and \`batch\` there also lets
the project's other queues go first.`
}

function outsideSection() {
  const rows = Object.entries(outside).map(
    ([name, { default: value, about }]) => `| \`${name}\` | ${value} | ${about} |`,
  )
  return ['## Traces', `| name | default | meaning |\n|---|---|---|\n${rows.join('\n')}`].join('\n\n')
}

function complainOfGaps(found) {
  const known = [...sections.map(({ settings }) => settings), profileSection].flatMap((part) => Object.keys(part))
  const missing = [...found.keys()].filter((name) => !known.includes(name))
  const unread = known.filter((name) => !found.has(name))
  const faults = [
    ...missing.map((name) => `${name} is read and not described in infra/tooling/configuration/meanings.mjs`),
    ...unread.map((name) => `${name} is described and read by nothing`),
  ]
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

/** The whole page. `found` comes from readSettings, `children` says which services each child of standalone runs. */
export function renderConfiguration(found, children, profileSettings) {
  complainOfGaps(found)
  const runs = Object.entries(children).map(([child, services]) => `\`${child}\` (${services.join(', ')})`)
  const intro = `# Configuration

<!-- Generated by infra/tooling/generate-configuration.mjs from the readers of configuration; run make generate. -->

Settings are environment variables. A wrong value is never replaced by a default: every fault is listed and nothing starts.
"Read by" names the process: \`standalone\` is the supervisor of \`make run\`, and that of \`make stack\` reads the same names.
What a person sets reaches the services too: the supervisor of \`make run\` starts them in the children ${runs.join(', ')},
that of \`make stack\` each in a process of its own. A duration is like \`500ms\`, \`30s\`, \`5m\`, \`1h\` or \`2d\`; without a unit it is in milliseconds.`
  const parts = sections.map((one) => section(one, found))
  return `${[intro, ...parts.slice(0, 7), profiles(profileSettings), outsideSection(), ...parts.slice(7)].join('\n\n')}\n`
}
