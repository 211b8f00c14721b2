import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { patiently } from '@millrace/testkit'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFailed } from 'vitest'
import { startTarget, type Target } from '../support/target.js'

const candidates = [
  process.env.MILLRACE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const folder = process.env.MILLRACE_SCREENSHOTS

/** Undefined where there is none: the suite then says so and is skipped. */
export const chromiumPath = candidates.find((path) => path !== undefined && path !== '' && existsSync(path))

export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('there is no Chromium here')
  // Without a sandbox of its own where tests run as root, as in containers.
  const args = [
    '--disable-gpu',
    '--disable-background-networking',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
  return chromium.launch({ executablePath: chromiumPath, args })
}

/** A deployment and a browser for the tests of one suite; both are there once its tests run. */
export function useConsole(env: Record<string, string> = {}): { target: Target; browser: Browser } {
  const used = {} as { target: Target; browser: Browser }
  beforeAll(async () => {
    ;[used.target, used.browser] = await Promise.all([startTarget(env), launchBrowser()])
  }, 120_000)
  afterAll(async () => {
    await used.browser?.close()
    await used.target?.close()
  })
  return used
}

export interface Watched {
  context: BrowserContext
  page: Page
  /** What the console must never cause: uncaught errors, refused scripts and styles. */
  faults: string[]
}

export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1360, height: 860 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patiently(15_000))
  // What was on screen says more than the step that timed out.
  onTestFailed(async () => {
    if (folder && !page.isClosed())
      await page
        .screenshot({ path: join(folder, `failed-${slugOf(expect.getState().currentTestName)}.png`) })
        .catch(() => undefined)
  })
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|Warning: |Minified React error/.test(message.text()))
      faults.push(message.text())
  })
  return { context, page, faults }
}

const slugOf = (name = 'test') => name.replaceAll(/[^a-z]+/gi, '-').slice(0, 40)

/** Both themes, where screenshots are asked for. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!folder) return
  mkdirSync(folder, { recursive: true })
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Nothing serious that axe can find, in both themes. Evaluated by the debugger, so the page's policy does not apply. */
export async function expectAccessible(page: Page, room: string): Promise<void> {
  await page.evaluate(axe.source)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const found = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    expect(found, `${room}, ${theme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
