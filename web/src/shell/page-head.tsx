import type { ReactNode } from 'react'
import { useEffect } from 'react'

interface PageHeadProps {
  title: string
  above?: ReactNode
  beside?: ReactNode
  actions?: ReactNode
  children?: ReactNode
}

export function PageHead({ title, above, beside, actions, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
  return (
    <header className="page-head">
      {above && <div className="page-above">{above}</div>}
      <div className="page-line">
        <h1>{title}</h1>
        {beside}
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </header>
  )
}
