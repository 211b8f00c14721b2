import type { ReactNode } from 'react'

/** One stroke weight and one grid for all; drawn here because an icon font or package weighs more than these. */
const paths = {
  overview: <path d="M2.5 9.5l3-4 3 3 5-6M2.5 13.5h11" />,
  runs: <path d="M3 3.5h10M3 8h10M3 12.5h6" />,
  workflows: <path d="M2.5 3h4v4h-4zM9.5 9h4v4h-4zM6.5 5h3a2 2 0 012 2v2" />,
  approvals: <path d="M8 1.8l5 2v4c0 3.2-2.2 5.4-5 6.4-2.800-1-5-3.200-5-6.400v-4zM5.800 8l1.600 1.600 3-3.200" />,
  schedules: <path d="M8 2.200a5.800 5.800 0 100 11.600A5.800 5.800 0 008 2.200zM8 4.800V8l2.200 1.500" />,
  'dead-letters': <path d="M2.500 4h11v8.500h-11zM2.500 4.500L8 9l5.500-4.500" />,
  workers: <path d="M3 3h10v4H3zM3 9h10v4H3zM5.500 5h.01M5.500 11h.01" />,
  notifications: <path d="M4 11V7.200a4 4 0 018 0V11l1.200 1.500H2.800zM6.700 14.200h2.600" />,
  artifacts: <path d="M4 2h5l3.500 3.500V14H4zM9 2v3.500h3.500" />,
  settings: <path d="M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M8.500 3v3M7.500 10v3" />,
  search: <path d="M7 2.500a4.500 4.500 0 100 9 4.500 4.500 0 000-9zM10.300 10.300L13.800 13.800" />,
  close: <path d="M3.500 3.500l9 9M12.500 3.500l-9 9" />,
  more: <path d="M3.500 8h.01M8 8h.01M12.500 8h.01" strokeWidth="2.200" />,
  chevron: <path d="M4 6l4 4 4-4" />,
  right: <path d="M6 4l4 4-4 4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  play: <path d="M4.500 2.800v10.400L13 8z" />,
  stop: <path d="M3.500 3.500h9v9h-9z" />,
  retry: <path d="M13 3v3.500H9.500M12.700 6.500A5.200 5.200 0 108 13.200c2 0 3.700-1 4.600-2.600" />,
  copy: <path d="M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3" />,
  download: <path d="M8 2.500v7.500M4.800 7L8 10.200 11.200 7M3 13.500h10" />,
  sun: (
    <path d="M8 5.200a2.800 2.800 0 100 5.600 2.800 2.800 0 000-5.600zM8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.8.8M11.800 11.800l.8.8M12.600 3.400l-.8.8M4.200 11.800l-.8.8" />
  ),
  user: (
    <path d="M8 2.500a2.700 2.700 0 100 5.400 2.700 2.700 0 000-5.400zM2.800 13.800c.6-2.600 2.600-4 5.200-4s4.600 1.400 5.200 4" />
  ),
  warning: <path d="M8 2.500L14.500 13.500h-13zM8 6.500v3.200M8 11.600v.01" />,
  lock: <path d="M4 7.500h8v6H4zM5.500 7.500V5.300a2.500 2.500 0 015 0v2.200" />,
  menu: <path d="M2.500 4h11M2.500 8h11M2.500 12h11" />,
  check: <path d="M3 8.500l3.200 3.200L13 4.800" />,
  pause: <path d="M5.500 3.500v9M10.500 3.500v9" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof paths

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {paths[name]}
    </svg>
  )
}
