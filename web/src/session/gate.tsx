import { type ReactNode, useEffect } from 'react'
import './session.css'

/** The frame of every page that is seen without being signed in. */
export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
  return (
    <main className="gate">
      <div className="gate-card">
        <div className="gate-brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          <span>Millrace</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
