import type { Viewport } from '@xyflow/react'
import { type RefObject, useMemo } from 'react'

/**
 * Keeps the drawing on a layer of its own, so that panning shifts what was painted once instead of painting it again. A
 * browser does not paint such a layer anew for another scale: after a zoom the layer is given up for a frame, or its text
 * would stay blurred. Set on the element, past React: a pan must render nothing.
 */
export function useOwnLayer(frame: RefObject<HTMLElement | null>) {
  return useMemo(() => {
    let paintedAt: number | undefined
    const set = (own: boolean) => frame.current?.setAttribute('data-layer', own ? 'own' : 'shared')
    return {
      onMoveStart: () => set(true),
      onMoveEnd: (_: unknown, { zoom }: Viewport) => {
        if (paintedAt !== undefined && paintedAt !== zoom) {
          set(false)
          requestAnimationFrame(() => requestAnimationFrame(() => set(true)))
        }
        paintedAt = zoom
      },
    }
  }, [frame])
}
