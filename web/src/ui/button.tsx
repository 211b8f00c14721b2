import type { ButtonHTMLAttributes } from 'react'
import { Icon, type IconName } from './icons'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet'
  small?: boolean
  icon?: IconName
  /** The action is under way: the button keeps its size and cannot be pressed again. */
  busy?: boolean
}

export function Button({ look = 'plain', small, icon, busy, children, className, ...rest }: ButtonProps) {
  const classes = ['button', `button-${look}`, small && 'button-small', icon && !children && 'button-icon', className]
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={classes.filter(Boolean).join(' ')}
    >
      {icon && <Icon name={icon} size={small ? 13 : 15} />}
      {children}
    </button>
  )
}
