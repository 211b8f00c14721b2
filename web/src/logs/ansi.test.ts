import { describe, expect, it } from 'vitest'
import { parseAnsi } from './ansi'

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
  })
})
