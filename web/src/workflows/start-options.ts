/** What a start may say besides its input. Text as typed; empty is absent. Pure. */
export interface StartOptions {
  version: string
  priority: string
  delaySeconds: string
  labels: string
  hold: boolean
}

export const emptyOptions: StartOptions = { version: '', priority: '', delaySeconds: '', labels: '', hold: false }

export interface StartBody {
  version?: number
  priority?: number
  delaySeconds?: number
  labels?: Record<string, string>
  hold?: boolean
}

export function optionsBody({ version, priority, delaySeconds, labels, hold }: StartOptions): StartBody {
  const pairs = labelsOf(labels)
  return {
    ...(version === '' ? {} : { version: Number(version) }),
    ...(priority === '' ? {} : { priority: Number(priority) }),
    ...(delaySeconds === '' ? {} : { delaySeconds: Number(delaySeconds) }),
    ...(Object.keys(pairs).length === 0 ? {} : { labels: pairs }),
    ...(hold ? { hold } : {}),
  }
}

/** `team=shop, region=eu`. */
export function labelsOf(text: string): Record<string, string> {
  const pairs = text.split(/[,\n]/).map((pair) => pair.trim())
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf('=')
      return at <= 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]]
    }),
  )
}

/** For a POSIX shell: a single quote inside single quotes ends them, is escaped, and begins them again. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export function curlOf(origin: string, project: string, workflow: string, body: unknown): string {
  return [
    `curl -X POST ${quoted(`${origin}/api/v1/workflows/${encodeURIComponent(workflow)}/runs`)}`,
    `  -H "Authorization: Bearer $MILLRACE_TOKEN" -H ${quoted(`X-Millrace-Project: ${project}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n')
}
