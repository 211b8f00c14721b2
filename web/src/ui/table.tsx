import type { ReactNode } from 'react'

/** `grow` takes the room that is left; `hidden` is said to those who hear the table, and not shown. */
export type Column = string | readonly [label: string, look: 'grow' | 'number' | 'hidden']

/** Scrolls sideways where it is too wide. Rows are the caller's. */
export function Table({ columns, children }: { columns: readonly Column[]; children: ReactNode }) {
  return (
    <div className="table-scroll">
      <table className="table">
        <thead>
          <tr>
            {columns.map((column) => {
              const [label, look] = typeof column === 'string' ? [column, undefined] : column
              const hidden = look === 'hidden'
              return (
                <th key={label} className={hidden ? undefined : look}>
                  {hidden ? <span className="visually-hidden">{label}</span> : label}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
