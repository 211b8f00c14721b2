import { formatBytes, shortId } from '../ui/format'
import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { useListCursor } from '../ui/use-list-cursor'
import type { Artifact, ArtifactFilters } from './artifact-queries'

interface ArtifactTableProps {
  artifacts: readonly Artifact[]
  onOpen: (id: string) => void
  onFilter: (filter: ArtifactFilters) => void
}

export function ArtifactTable({ artifacts, onOpen, onFilter }: ArtifactTableProps) {
  const at = useListCursor({
    count: artifacts.length,
    onOpen: (index) => artifacts[index] && onOpen(artifacts[index].id),
    searchId: 'artifacts-search',
  })
  return (
    <Table columns={[['Name', 'grow'], 'Run', 'Task', 'Type', 'State', ['Size', 'number'], ['Created', 'number']]}>
      {artifacts.map((artifact, index) => (
        <tr key={artifact.id} data-row={index} data-active={index === at}>
          <td className="grow">
            <button
              type="button"
              className="artifacts-link artifacts-name"
              title={artifact.name}
              onClick={() => onOpen(artifact.id)}
            >
              {artifact.name}
            </button>
          </td>
          <td>
            <FilterCell name="run" value={artifact.runId} onFilter={onFilter} />
          </td>
          <td>
            <FilterCell name="task" value={artifact.task} onFilter={onFilter} />
          </td>
          <td className="muted artifacts-type">{artifact.contentType}</td>
          <td>
            <Status status={artifact.state} />
          </td>
          <td className="number">{artifact.size === null ? '–' : formatBytes(artifact.size)}</td>
          <td className="number">
            <Time at={artifact.createdAt} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

interface FilterCellProps {
  name: 'run' | 'task'
  value: string | null
  onFilter: (filter: ArtifactFilters) => void
}

function FilterCell({ name, value, onFilter }: FilterCellProps) {
  if (value === null) return <span className="muted">–</span>
  return (
    <button
      type="button"
      className="artifacts-link"
      title={`Only artifacts of ${name} ${value}`}
      onClick={() => onFilter({ [name]: value })}
    >
      {name === 'run' ? shortId(value) : value}
    </button>
  )
}
