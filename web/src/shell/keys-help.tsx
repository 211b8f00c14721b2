import { Dialog } from '../ui/dialog'
import { rooms } from './rooms'

const general: readonly [string, string][] = [
  ['⌘K / Ctrl K', 'Search and commands'],
  ['?', 'These keys'],
  ['/', 'Search in the list'],
  ['j / k', 'Next or previous row'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['Shift ← / →', 'Choose a time in the overview’s chart, Enter zooms'],
  ['Esc', 'Close'],
  ['Esc, Tab', 'Leave the editor'],
]

export function KeysHelp({ onClose }: { onClose: () => void }) {
  const keys = [...general, ...rooms.map(({ key, label }): [string, string] => [`g ${key}`, label])]
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="facts">
        {keys.map(([key, what]) => (
          <div key={key} className="keys-row">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
