import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons'

/** What a whole room shows in place of its content. */
export function Notice({
  icon,
  title,
  children,
  actions,
}: {
  icon?: IconName
  title: string
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className="notice">
      {icon && <Icon name={icon} size={28} />}
      <h2>{title}</h2>
      {children}
      {actions && <div className="notice-actions">{actions}</div>}
    </div>
  )
}

/** As many rows as will come, so that nothing jumps when they do. */
export function SkeletonRows({ rows = 8, columns = 5 }: { rows?: number; columns?: number }) {
  return (
    <table className="table" aria-hidden="true">
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
          <tr key={row}>
            {Array.from({ length: columns }, (_, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing else
              <td key={column}>
                <span className="skeleton" style={{ width: `${50 + ((row * 7 + column * 13) % 45)}%` }} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
