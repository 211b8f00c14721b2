import { yaml } from '@codemirror/lang-yaml'
import { MergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { look } from './theme'

/** Two texts side by side; what is the same for long is folded. */
export function DiffView({ before, after }: { before: string; after: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return undefined
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const extensions = [lineNumbers(), yaml(), EditorState.readOnly.of(true), EditorView.editable.of(false), look]
    const merge = new MergeView({
      root,
      parent: root as unknown as Element,
      a: { doc: before, extensions },
      b: { doc: after, extensions },
      collapseUnchanged: { margin: 4, minSize: 8 },
      gutter: true,
    })
    return () => merge.destroy()
  }, [before, after])
  return <div className="editor" ref={host} />
}
