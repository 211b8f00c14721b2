import * as DropdownMenu from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'

interface MenuProps {
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'end'
}

/** Not modal: a modal menu locks scrolling with an injected style element, which the content security policy forbids. */
export function Menu({ trigger, children, align = 'start' }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface MenuItemProps {
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  children: ReactNode
}

export function MenuItem({ onSelect, danger, disabled, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={danger ? 'menu-item menu-item-danger' : 'menu-item'}
      disabled={disabled ?? false}
      onSelect={onSelect}
    >
      {children}
    </DropdownMenu.Item>
  )
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="menu-label">{children}</DropdownMenu.Label>
)

export const MenuLine = () => <DropdownMenu.Separator className="menu-line" />
