import { describe, expect, test } from 'vitest'
import { faultOfFileName } from './file-name.js'

describe('a plain file name', () => {
  test.each([
    'report.pdf',
    'a',
    'Bericht März.csv',
    '日本語.txt',
    '.env',
    'no-extension',
    'console.log',
    'comma,semi;colon:quote".txt',
    'com10.txt',
    `${'a'.repeat(251)}.txt`,
  ])('%s is one', (name) => expect(faultOfFileName(name)).toBeUndefined())

  test.each([
    ['', /empty/],
    ['a/b', /separator/],
    ['a\\b', /separator/],
    ['/etc/passwd', /separator/],
    ['..', /reserved/],
    ['.', /reserved/],
    ['NUL', /reserved/],
    ['con.txt', /reserved/],
    ['Com1', /reserved/],
    ['lpt9.tar.gz', /reserved/],
    ['a\nb', /control/],
    ['a\0', /control/],
    ['a\u007f', /control/],
    ['a\u0085', /control/],
    ['exe.\u202etxt', /control/],
    ['\ud800', /Unicode/],
    ['name.', /end with/],
    ['name ', /end with/],
    [' name', /begin with/],
    ['a'.repeat(256), /255 bytes/],
    ['ä'.repeat(128), /255 bytes/],
  ])('%j is none', (name, fault) => expect(faultOfFileName(name)).toMatch(fault))
})
