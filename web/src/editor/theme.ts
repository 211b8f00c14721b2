import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type CelKind, celTokens } from './cel-tokens'

/** The tokens of the page reach into the editor's shadow root, because custom properties inherit. */
export const editorTheme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--size)', color: 'var(--text)', backgroundColor: 'var(--bg)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { backgroundColor: 'var(--bg)', color: 'var(--text-faint)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--bg-sunken)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--bg-selected)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--bg-raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--bg-selected)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--text-muted)', fontStyle: 'normal' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--danger)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textUnderlineOffset: '3px',
  },
  '.cm-lint-marker-error': { content: '"●"', color: 'var(--danger)' },
  '.cm-cel, .cm-cel span': { color: 'var(--accent)' },
  '.cm-cel': { backgroundColor: 'var(--accent-soft)', borderRadius: '3px' },
  '.cm-cel .cm-cel-text, .cm-cel .cm-cel-text span': { color: 'light-dark(#14743a, #7fd6a4)' },
  '.cm-cel .cm-cel-number, .cm-cel .cm-cel-number span': { color: 'light-dark(#a8421c, #f0a184)' },
  '.cm-cel .cm-cel-word, .cm-cel .cm-cel-word span': { color: 'light-dark(#a8421c, #f0a184)' },
  '.cm-cel .cm-cel-call, .cm-cel .cm-cel-call span': { color: 'light-dark(#7a3ea8, #c9a2f0)' },
  // A tint and no underline: one would go through the indentation of every line that is new.
  '&.cm-editor.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--danger-soft)' },
  '&.cm-editor.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft)' },
  '&.cm-editor.cm-merge-a .cm-changedText': {
    background: 'color-mix(in srgb, var(--danger) 12%, transparent)',
    textDecoration: 'none',
  },
  '&.cm-editor.cm-merge-b .cm-changedText': {
    background: 'color-mix(in srgb, var(--ok) 12%, transparent)',
    textDecoration: 'none',
  },
  '.cm-collapsedLines': { background: 'var(--bg-sunken)', color: 'var(--text-muted)' },
  '.cm-panels': { backgroundColor: 'var(--bg-sunken)', color: 'var(--text)' },
})

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#7a3ea8, #c9a2f0)' },
  { tag: tags.definition(tags.propertyName), color: 'light-dark(#7a3ea8, #c9a2f0)' },
  { tag: tags.string, color: 'light-dark(#14743a, #7fd6a4)' },
  { tag: tags.number, color: 'light-dark(#1f5fd0, #8dbbff)' },
  { tag: [tags.bool, tags.null, tags.keyword], color: 'light-dark(#a8421c, #f0a184)' },
  { tag: tags.comment, color: 'var(--text-faint)' },
])

const whole = Decoration.mark({ class: 'cm-cel' })
const marks: Readonly<Record<CelKind, Decoration>> = {
  text: Decoration.mark({ class: 'cm-cel-text' }),
  number: Decoration.mark({ class: 'cm-cel-number' }),
  word: Decoration.mark({ class: 'cm-cel-word' }),
  call: Decoration.mark({ class: 'cm-cel-call' }),
}

const expressions = new MatchDecorator({
  regexp: /\$\{\{(?:[^$}]|\}(?!\}))*\}\}/g,
  decorate: (add, from, to, [text]) => {
    add(from, to, whole)
    for (const { at, length, kind } of celTokens(text)) add(from + at, from + at + length, marks[kind])
  },
})

/** `${{ … }}` stands out from the text around it, and its parts from each other. */
const celPlugin = ViewPlugin.define(
  (view) => ({
    decorations: expressions.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = expressions.updateDeco(update, this.decorations)
    },
  }),
  { decorations: (plugin) => plugin.decorations },
)

export const look = [editorTheme, syntaxHighlighting(highlight), celPlugin]
