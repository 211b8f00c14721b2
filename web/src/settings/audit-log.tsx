import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useApi, useMay } from '../api/use-api'
import { Forbidden } from '../shell/forbidden'
import { FormError } from '../shell/form-dialog'
import { PagedList } from '../shell/paged-list'
import { useSearchState } from '../shell/use-search-state'
import { Button } from '../ui/button'
import { CopyId } from '../ui/copy'
import { FilterChips } from '../ui/filter-chips'
import { FilterSpan } from '../ui/filter-span'
import { FilterText } from '../ui/filter-text'
import { formatCount } from '../ui/format'
import { Icon } from '../ui/icons'
import { Notice } from '../ui/states'
import { Status } from '../ui/status'
import { Table } from '../ui/table'
import { Time } from '../ui/time'
import { auditFiltersOf, auditOutcomes, outcomesOf, toggleOutcome } from './audit-filters'
import { Section } from './section'
import { type AuditEntry, auditQuery, auditVerifyQuery } from './settings-queries'

export function AuditLog() {
  return useMay('owner') ? <AuditOfProject /> : <Forbidden needs="owner" what="the audit log" />
}

function AuditOfProject() {
  const api = useApi()
  const [search, change] = useSearchState()
  const filters = auditFiltersOf(search)
  const list = useInfiniteQuery({ ...auditQuery(api, filters), placeholderData: (old) => old })
  const set = (name: string) => (value: string) => change({ [name]: value || undefined })
  const empty =
    Object.keys(filters).length > 0 ? (
      <Notice icon="search" title="No entry fits these filters" />
    ) : (
      <Notice icon="runs" title="Nothing has been recorded yet" />
    )
  return (
    <Section title="Audit log" about="Who did what, newest first. Entries are never changed." actions={<Verify />}>
      <div className="filters">
        <FilterChips
          label="Outcome"
          statuses={auditOutcomes}
          chosen={outcomesOf(filters)}
          onToggle={(outcome) => change({ outcome: toggleOutcome(filters, outcome) })}
        />
        <FilterText label="Actor" placeholder="Actor" value={filters.actor ?? ''} onChange={set('actor')} />
        <FilterText label="Action" placeholder="Action" value={filters.action ?? ''} onChange={set('action')} />
        <FilterText label="Target" placeholder="Target" value={filters.target ?? ''} onChange={set('target')} />
        <FilterSpan value={filters.from ?? ''} onChange={set('from')} />
      </div>
      <PagedList list={list} columns={6} more="Older entries" empty={empty}>
        {(entries) => <AuditTable entries={entries} />}
      </PagedList>
    </Section>
  )
}

/** Entries are chained; this says whether the chain is whole. */
function Verify() {
  const verify = useQuery(auditVerifyQuery(useApi()))
  return (
    <>
      <div role="status">
        {verify.data?.intact === true && (
          <span className="status tone-succeeded">
            <Icon name="check" /> intact
            {verify.data.entries === undefined ? '' : `: ${formatCount(verify.data.entries)} entries`}
          </span>
        )}
        {verify.data?.intact === false && (
          <span className="status tone-failed">
            <Icon name="warning" /> changed after entry {verify.data.upTo ?? 'the first'}
          </span>
        )}
        {verify.isError && <FormError error={verify.error} />}
      </div>
      <Button icon="check" busy={verify.isFetching} onClick={() => void verify.refetch()}>
        Verify the log
      </Button>
    </>
  )
}

function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table columns={['When', 'Outcome', 'Action', 'Actor', ['Target', 'grow'], 'Address', 'Request']}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <td>
            <Time at={entry.at} />
          </td>
          <td>
            <Status status={entry.outcome} />
          </td>
          <td>
            <code>{entry.action}</code>
          </td>
          <td className="settings-agent" title={entry.actor}>
            <Named text={entry.actor} />
          </td>
          <td className="grow" title={entry.target}>
            <Named text={entry.target} />
          </td>
          <td className="mono">{entry.ip ?? '–'}</td>
          <td>{entry.requestId ? <CopyId id={entry.requestId} /> : '–'}</td>
        </tr>
      ))}
    </Table>
  )
}

/** `run:` and an id, shortened; a click copies it as the filters take it. Other names as they are. */
function Named({ text }: { text: string }) {
  const [, kind] = /^([a-z_-]+):[0-9a-f-]{36}$/.exec(text) ?? []
  if (kind === undefined) return text
  return (
    <>
      {kind.replaceAll('_', ' ')} <CopyId id={text} />
    </>
  )
}
