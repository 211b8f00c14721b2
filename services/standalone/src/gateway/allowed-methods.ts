import { createMatcher, routes } from '@millrace/routes'

const matcher = createMatcher(routes)

/** For `Allow`: what the services would say of this path, asked by a method that never reaches them. */
export function allowedMethods(target: string): string {
  const [path = ''] = target.split('?', 1)
  const methods = matcher.methods(path)
  return (methods.length > 0 ? methods : ['GET', 'HEAD']).join(', ')
}
