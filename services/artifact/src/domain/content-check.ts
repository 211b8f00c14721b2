import { type FieldError, unprocessable } from '@millrace/errors'
import type { Artifact, Content } from './artifact.js'

type Declared = Pick<Artifact, 'declaredSize' | 'declaredSha256'>

/** Throws when the content is not what its maker announced. */
export function assertAsDeclared({ declaredSize, declaredSha256 }: Declared, content: Content): void {
  const errors: FieldError[] = []
  if (declaredSize !== null && declaredSize !== content.size) {
    const message = `${declaredSize} bytes were announced and ${content.size} received`
    errors.push({ path: '/size', code: 'size_mismatch', message })
  }
  if (declaredSha256 !== null && declaredSha256 !== content.sha256) {
    const message = `${declaredSha256} was announced and ${content.sha256} received`
    errors.push({ path: '/sha256', code: 'sha256_mismatch', message })
  }
  const [first] = errors
  if (first !== undefined) throw unprocessable(first.code, 'The content is not what was announced.', errors)
}
