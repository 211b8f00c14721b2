import { describe, expect, it } from 'vitest'
import { parseAnsi, plainText } from './ansi'

const csi = '\u001b['

describe('terminal colours', () => {
  it('become classes and end where they end', () => {
    expect(parseAnsi(`a${csi}1;31mred${csi}39m bold${csi}0m b`)).toEqual([
      { text: 'a', className: '' },
      { text: 'red', className: 'ansi-red ansi-bold' },
      { text: ' bold', className: 'ansi-bold' },
      { text: ' b', className: '' },
    ])
  })

  it('leaves no control sequence in the text, also of colours and moves it does not draw', () => {
    const text = `${csi}38;5;208mx${csi}2K${csi}38;2;1;2;3my\u001b]0;title\u0007z`
    expect(
      parseAnsi(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe('xyz')
    expect(plainText(text)).toBe('xyz')
  })

  it('are also those of the background, and end by themselves', () => {
    expect(parseAnsi(`${csi}41;97mon${csi}49moff`)).toEqual([
      { text: 'on', className: 'ansi-white ansi-on-red' },
      { text: 'off', className: 'ansi-white' },
    ])
    expect(parseAnsi(`${csi}102mbright${csi}0;7minverse`)).toEqual([
      { text: 'bright', className: 'ansi-on-green' },
      { text: 'inverse', className: 'ansi-inverse' },
    ])
  })

  it('are any of 256, and any at all', () => {
    const rgbOf = (code: string) => /rgb\((.*?)\)/.exec(parseAnsi(`${csi}${code}mx`)[0]?.style?.color ?? '')?.[1]
    expect(rgbOf('38;5;208')).toBe('255 135 0')
    expect(rgbOf('38;5;232')).toBe('8 8 8')
    expect(rgbOf('38;2;1;2;3')).toBe('1 2 3')
    expect(parseAnsi(`${csi}38;5;1mx`)[0]).toEqual({ text: 'x', className: 'ansi-red' })
    const on = parseAnsi(`${csi}1;48;5;21;4mx`)[0]
    expect(on?.className).toBe('ansi-bold ansi-underline')
    expect(on?.style?.backgroundColor).toContain('rgb(0 0 255)')
    expect(parseAnsi(`${csi}38;5;999;31mx`)[0]).toEqual({ text: 'x', className: 'ansi-red' })
  })
})
