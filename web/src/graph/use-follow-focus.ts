import { useReactFlow } from '@xyflow/react'
import type { FocusEvent } from 'react'
import { type Rect, sidesBeyond } from './place-view'

/** Whoever goes through the nodes by keyboard sees where they are. */
export function useFollowFocus(rects: ReadonlyMap<string, Rect>, frame: () => { width: number; height: number }) {
  const flow = useReactFlow()
  return ({ target }: FocusEvent<HTMLElement>) => {
    const id = target.closest<HTMLElement>('[data-id]')?.dataset.id
    const rect = rects.get(id ?? '')
    if (!rect || !target.matches(':focus-visible')) return
    const viewport = flow.getViewport()
    if (sidesBeyond(rect, frame(), viewport).length === 0) return
    void flow.setCenter(rect.x + rect.width / 2, rect.y + rect.height / 2, { zoom: viewport.zoom })
  }
}
