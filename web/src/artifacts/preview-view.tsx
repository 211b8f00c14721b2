import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useApi } from '../api/use-api'
import { ErrorNotice } from '../shell/error-notice'
import { formatBytes } from '../ui/format'
import { Json } from '../ui/json'
import { type Artifact, imageQuery, textQuery } from './artifact-queries'
import { imageBytes, previewKindOf, previewOf, textBytes, textOf } from './preview'

/** Fetched as bytes and drawn as text or pixels: nothing in a file is ever a document or a script of this page. */
export function Preview({ artifact }: { artifact: Artifact }) {
  const kind = previewKindOf(artifact)
  if (kind === 'none') return <NoPreview why="There is no preview of this type." />
  if (kind !== 'image') return <TextPreview artifact={artifact} />
  return (artifact.size ?? 0) > imageBytes ? (
    <NoPreview why={`Images over ${formatBytes(imageBytes)} are not previewed.`} />
  ) : (
    <ImagePreview artifact={artifact} />
  )
}

const NoPreview = ({ why }: { why: string }) => <p className="muted">{why} Download it to see it.</p>

function TextPreview({ artifact }: { artifact: Artifact }) {
  const content = useQuery(textQuery(useApi(), artifact))
  const cut = (artifact.size ?? 0) > textBytes
  const shown = useMemo(() => {
    const text = content.data && textOf(content.data)
    return text === undefined ? undefined : previewOf(previewKindOf(artifact), text, cut)
  }, [artifact, content.data, cut])
  if (content.isPending) return <div className="artifacts-preview" aria-busy="true" />
  if (!content.data) return <ErrorNotice error={content.error} onRetry={() => void content.refetch()} />
  if (!shown) return <NoPreview why="This claims to be text and is not." />
  return (
    <>
      {cut && (
        <div className="banner">
          The first {formatBytes(textBytes)} of {formatBytes(artifact.size ?? 0)}.
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it */}
      <section className="artifacts-preview" aria-label="Preview" tabIndex={0}>
        {shown.kind === 'json' && <Json value={shown.value} label="Content" />}
        {shown.kind === 'text' && <pre className="json">{shown.text || '(empty)'}</pre>}
        {shown.kind === 'table' && <CsvTable rows={shown.rows} />}
      </section>
    </>
  )
}

function CsvTable({ rows }: { rows: string[][] }) {
  const [head = [], ...body] = rows
  return (
    <table className="table artifacts-csv">
      <thead>
        <tr>
          {head.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns are never reordered, and names may repeat
            <th key={index}>{cell}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((row, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are never reordered
          <tr key={line}>
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns are never reordered
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ImagePreview({ artifact }: { artifact: Artifact }) {
  const content = useQuery(imageQuery(useApi(), artifact))
  const [url, setUrl] = useState<string>()
  const [broken, setBroken] = useState(false)
  useEffect(() => {
    if (!content.data) return undefined
    const made = URL.createObjectURL(content.data)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [content.data])
  if (content.isError) return <ErrorNotice error={content.error} onRetry={() => void content.refetch()} />
  if (broken) return <NoPreview why="This claims to be an image and cannot be drawn." />
  return (
    <div className="artifacts-preview artifacts-image" aria-busy={url === undefined}>
      {url && <img src={url} alt={artifact.name} onError={() => setBroken(true)} />}
    </div>
  )
}
