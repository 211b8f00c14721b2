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
    const readOnly = [lineNumbers(), yaml(), EditorState.readOnly.of(true), EditorView.editable.of(false), look]
    const side = (doc: string, label: string) => ({
      doc,
      extensions: [...readOnly, EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })],
    })
    const merge = new MergeView({
      root,
      parent: root as unknown as Element,
      a: side(before, 'Before'),
      b: side(after, 'After'),
      collapseUnchanged: { margin: 4, minSize: 8 },
      gutter: true,
    })
    return () => merge.destroy()
  }, [before, after])
  return <div className="editor" ref={host} />
}
