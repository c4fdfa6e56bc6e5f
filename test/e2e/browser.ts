import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { root } from '../tidy/sources.js';

const PROGRAM = process.env['PLIMSOLL_CHROMIUM'] ?? '/usr/bin/chromium';

/** Nothing but what is tested: no sandbox (tests run as root in containers), no calls home. */
const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Where all that a run leaves behind is: see CONTRIBUTING. */
const SCREENSHOTS = join(process.env['PLIMSOLL_ARTEFACTS'] ?? join(root, 'artefacts'), 'e2e');

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PROGRAM, args: ARGS });
}

/** A page, and all that it complained about. */
export interface WatchedPage {
  readonly page: Page;
  readonly complaints: string[];
  close(): Promise<void>;
}

export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // Nobody but the admin port is asked.
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

/** Kept as artefacts: what a change looks like is seen there. The whole page, or what fits the window. */
export async function screenshot(page: Page, name: string, isWhole = true): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}.png`);
  const window = page.viewportSize()!;
  if (isWhole) {
    // Charts that are out of sight are not drawn: all of it has to be in sight.
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ ...window, height });
    await page.waitForTimeout(300);
  }
  await page.screenshot({ path });
  if (isWhole) await page.setViewportSize(window);
}

interface Fault {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What Axe finds serious or worse, each with where. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // By evaluation, which the page's policy does not concern: it is the browser's own tool that asks.
  await page.evaluate(`${axeSource()}; undefined`);
  const { violations } = (await page.evaluate('axe.run(document)')) as { violations: Fault[] };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

function axeSource(): string {
  return (createRequire(import.meta.url)('axe-core') as { source: string }).source;
}

/** Wider than its window, a page scrolls sideways. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
