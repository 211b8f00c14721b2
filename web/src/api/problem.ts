/** `application/problem+json`, as every error of the API is written. */
export interface Problem {
  title: string
  status: number
  detail?: string
  code: string
  requestId?: string
  errors?: { path: string; code: string; message: string; line?: number }[]
}

export class ApiError extends Error {
  constructor(
    readonly problem: Problem,
    readonly retryAfterSeconds?: number,
  ) {
    super(problem.detail ?? problem.title)
    this.name = 'ApiError'
  }
  get status(): number {
    return this.problem.status
  }
  get code(): string {
    return this.problem.code
  }
}

/** The request got no answer: no network, or nobody at the other end. */
export class OfflineError extends Error {
  constructor(cause: unknown) {
    super('Millrace cannot be reached.', { cause })
    this.name = 'OfflineError'
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after'))
  const after = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : undefined
  const text = await response.text().catch(() => '')
  return new ApiError(problemOf(response, text), after)
}

function problemOf(response: Response, text: string): Problem {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && 'code' in parsed) return parsed as Problem
  } catch {
    // Not from Millrace: a proxy on the way answered.
  }
  const requestId = response.headers.get('x-request-id')
  return {
    title: response.statusText || `Status ${response.status}`,
    status: response.status,
    code: 'unknown',
    ...(requestId ? { requestId } : {}),
  }
}

export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status

/** One sentence for a toast or a field. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const [first] = error.problem.errors ?? []
    return first ? `${error.message} ${first.path ? `${first.path}: ` : ''}${first.message}` : error.message
  }
  return error instanceof Error ? error.message : String(error)
}
