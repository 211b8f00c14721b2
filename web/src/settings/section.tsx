import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  /** One sentence: what this is for. */
  about?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

export function Section({ title, about, actions, children }: SectionProps) {
  return (
    <section className="settings-section" aria-label={title}>
      <div className="settings-head">
        <div>
          <h2>{title}</h2>
          {about && <p className="muted">{about}</p>}
        </div>
        {actions && <div className="settings-actions">{actions}</div>}
      </div>
      {children}
    </section>
  )
}
