import './ui/tokens.css'
import './ui/base.css'
import './ui/parts.css'
import './ui/overlays.css'
import './shell/shell.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client'
import { router } from './router'
import { applyTheme, readTheme } from './ui/theme'
import { Toasts } from './ui/toast'

applyTheme(readTheme())

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
)
