import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { indentUnit } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useRef } from 'react'
import type { Schema } from './schema-lookup'
import { look } from './theme'
import { yamlCompletion } from './yaml-completion'

export interface LineFault {
  line: number
  message: string
}

interface YamlEditorProps {
  label: string
  initial: string
  onChange?: (text: string) => void
  onSave?: () => void
  faults?: readonly LineFault[]
  schema?: Schema | undefined
  readOnly?: boolean
}

/**
 * CodeMirror in a shadow root: there it uses constructed style sheets, where in the page it would add a style element,
 * which the content security policy forbids.
 */
export function YamlEditor({ label, initial, onChange, onSave, faults = [], schema, readOnly }: YamlEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef({ onChange, onSave, schema })
  latest.current = { onChange, onSave, schema }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor owns its text once it is made
  useEffect(() => {
    if (!host.current) return undefined
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const made = new EditorView({
      root,
      parent: root as unknown as Element,
      state: stateOf(initial, label, readOnly ?? false, latest),
    })
    view.current = made
    return () => made.destroy()
  }, [])
  useEffect(() => {
    const current = view.current
    if (current)
      current.dispatch(
        setDiagnostics(
          current.state,
          faults.map((fault) => diagnosticOf(current.state, fault)),
        ),
      )
  }, [faults])
  return <div className="editor" ref={host} />
}

interface Latest {
  current: {
    onChange: ((text: string) => void) | undefined
    onSave: (() => void) | undefined
    schema: Schema | undefined
  }
}

function stateOf(doc: string, label: string, readOnly: boolean, latest: Latest): EditorState {
  const save = () => {
    latest.current.onSave?.()
    return true
  }
  return EditorState.create({
    doc,
    extensions: [
      lineNumbers(),
      ...(readOnly ? [] : [highlightActiveLine(), highlightActiveLineGutter()]),
      drawSelection(),
      history(),
      closeBrackets(),
      search({ top: true }),
      lintGutter(),
      indentUnit.of('  '),
      yaml(),
      autocompletion({ override: [yamlCompletion(() => latest.current.schema)], activateOnTyping: true }),
      keymap.of([
        { key: 'Mod-s', run: save },
        ...completionKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      EditorState.readOnly.of(readOnly),
      EditorView.editable.of(!readOnly),
      // What cannot be edited is still reached and scrolled by keyboard.
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) latest.current.onChange?.(update.state.doc.toString())
      }),
      look,
    ],
  })
}

function diagnosticOf(state: EditorState, { line, message }: LineFault): Diagnostic {
  const at = state.doc.line(Math.min(Math.max(1, line), state.doc.lines))
  const indent = at.text.length - at.text.trimStart().length
  return { from: at.from + indent, to: Math.max(at.from + indent, at.to), severity: 'error', message }
}
