import { useMemo } from 'react'
import { DiffView } from '../editor/diff-view'
import { toYaml } from './definition-text'

export function VersionDiff({ before, after }: { before: unknown; after: unknown }) {
  const [left, right] = useMemo(() => [toYaml(before), toYaml(after)], [before, after])
  if (left === right) return <p className="muted workflow-pad">These versions are the same.</p>
  return <DiffView before={left} after={right} />
}
