import { describe, expect, it } from 'vitest'
import { cronInWords } from './cron-in-words'
import { everyInWords, timingInWords } from './timing-in-words'

describe('cron in words', () => {
  it.each([
    ['* * * * *', 'Every minute'],
    ['*/5 * * * *', 'Every 5 minutes'],
    ['2-59/5 * * * *', 'Every 5 minutes from minute 2 on'],
    ['*/7 * * * *', 'Every hour at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56'],
    ['0 * * * *', 'Every hour on the hour'],
    ['15 * * * *', 'Every hour at minute 15'],
    ['0,15,20 * * * *', 'Every hour at minutes 0, 15 and 20'],
    ['0-10 * * * *', 'Every hour at minutes 0 to 10'],
    ['0 */4 * * *', 'Every 4 hours on the hour'],
    ['30 1-23/2 * * *', 'Every 2 hours at minute 30, from 01:00 on'],
    ['0 */5 * * *', 'At 00:00, 05:00, 10:00, 15:00 and 20:00 every day'],
    ['0 9-17 * * *', 'Every hour on the hour, from 09:00 to 17:00'],
    ['*/15 9-17 * * 1-5', 'Every 15 minutes from 09:00 to 17:59, Monday to Friday'],
    ['* 3 * * *', 'Every minute from 03:00 to 03:59'],
    ['*/10 2,14 * * *', 'Every 10 minutes in the hours 02 and 14'],
  ])('%s repeats: %s', (cron, words) => expect(cronInWords(cron)).toBe(words))

  it.each([
    ['30 2 * * *', 'At 02:30 every day'],
    ['0 9,17 * * MON,wed', 'At 09:00 and 17:00 on Monday and Wednesday'],
    ['0 9 * * 1-5', 'At 09:00 Monday to Friday'],
    ['0 9 * * 0,6', 'At 09:00 on Saturday and Sunday'],
    ['0 9 * * 7', 'At 09:00 on Sunday'],
    ['0 9 * * 5-7', 'At 09:00 on Friday, Saturday and Sunday'],
    ['0 0 1 * *', 'At 00:00 on day 1 of the month'],
    ['0 0 1,15 * ?', 'At 00:00 on days 1 and 15 of the month'],
    ['0 0 L * *', 'At 00:00 on the last day of the month'],
    ['0 0 1 1 *', 'At 00:00 on 1 January'],
    ['0 6 1 */3 *', 'At 06:00 on day 1 of January, April, July and October'],
    ['0 6 * JUN-AUG *', 'At 06:00 every day in June to August'],
    ['0 6 13 * FRI', 'At 06:00 on day 13 of the month, and on Friday'],
    ['0 6 1-31 * FRI', 'At 06:00 every day'],
  ])('%s is at a time of some days: %s', (cron, words) => expect(cronInWords(cron)).toBe(words))

  it.each([
    ['* * * * * *', 'Every second'],
    ['*/10 * * * * *', 'Every 10 seconds'],
    ['30 0 12 * * *', 'At 12:00:30 every day'],
    ['15 * * * * *', 'Every minute at second 15'],
    ['*/20 5 * * * *', 'Every 20 seconds in minute 5 of every hour'],
  ])('%s has seconds first: %s', (cron, words) => expect(cronInWords(cron)).toBe(words))

  it.each([
    ['@hourly', 'Every hour on the hour'],
    ['@daily', 'At 00:00 every day'],
    ['@weekly', 'At 00:00 on Sunday'],
    ['@monthly', 'At 00:00 on day 1 of the month'],
    ['@yearly', 'At 00:00 on 1 January'],
  ])('the nickname %s: %s', (cron, words) => expect(cronInWords(cron)).toBe(words))

  it.each([
    '',
    '* * * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 * 13 *',
    '0 0 * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    'a b c d e',
    '0 0 * * 5#2',
    '1/2/3 * * * *',
    '@reboot',
    '* * * * * * *',
    `${'x,'.repeat(100_000)}1 * * * *`,
  ])('says nothing of %s', (cron) => expect(cronInWords(cron)).toBeUndefined())
})

describe('intervals in words', () => {
  it.each([
    ['15m', 'Every 15 minutes'],
    ['1h', 'Every hour'],
    ['90m', 'Every 1 hour 30 minutes'],
    ['1.5h', 'Every 1 hour 30 minutes'],
    ['36h', 'Every 1 day 12 hours'],
    ['45s', 'Every 45 seconds'],
  ])('%s: %s', (every, words) => expect(everyInWords(every)).toBe(words))

  it.each(['', '0s', 'm', '15', '-5m', '500ms', '15m30s'])('says nothing of %s', (every) =>
    expect(everyInWords(every)).toBeUndefined(),
  )

  it('shows as given what has no words', () => {
    expect(timingInWords({ cron: null, every: 'PT15M' })).toBe('Every PT15M')
    expect(timingInWords({ cron: '0 0 * * 5#2', every: null })).toBe('0 0 * * 5#2')
  })
})
