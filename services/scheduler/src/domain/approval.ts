/** The role that may decide, unless the task says otherwise. */
const DEFAULT_APPROVER = 'operator'

/** What an approval asks for, from its resolved `with` as JSON text. */
export function approvalTerms(input: string): { role: string; message: string } {
  const { role, message } = (JSON.parse(input) ?? {}) as { role?: unknown; message?: unknown }
  return {
    role: typeof role === 'string' ? role : DEFAULT_APPROVER,
    message: typeof message === 'string' ? message : '',
  }
}
