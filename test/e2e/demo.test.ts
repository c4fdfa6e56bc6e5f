import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  launch,
  openPage,
  overflowOf,
  PHONE,
  screenshot,
  seriousFaults,
  type WatchedPage,
} from './browser.js';
import { DemoProcess } from './demo-process.js';

let browser: Browser;
let demo: DemoProcess;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, demo] = await Promise.all([launch(), DemoProcess.start(1)]);
  watched = await openPage(browser, demo.url);
  page = watched.page;
  await page.locator('#load canvas').waitFor();
}, 150_000);
afterAll(async () => {
  await watched?.close();
  await browser?.close();
  await demo?.stop();
});

/** The number in an element, without its unit. */
async function numberIn(place: Locator): Promise<number> {
  return Number.parseFloat((await place.textContent()) ?? '');
}

/** As the page shows it, over some seconds: one reading is of two seconds, and requests come in bunches. */
async function meanOf(place: Locator, seconds: number): Promise<number> {
  const values: number[] = [];
  for (let i = 0; i < seconds; i++) {
    values.push(await numberIn(place));
    await page.waitForTimeout(1_000);
  }
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const ofPeak = () => page.locator('#goodput-of-peak');

const servedOf = (criticality: string) =>
  page
    .locator('#served tr')
    .filter({ has: page.getByText(criticality, { exact: true }) })
    .locator('.bar .num');

/** Of this one: at a high load others refuse by themselves. */
const stateOf = (backend: string, state: string | RegExp) =>
  page.locator('[id^=service-] tbody tr').filter({ hasText: backend }).locator('.badge', { hasText: state });

async function setLoad(multiple: number): Promise<void> {
  await page
    .getByLabel('Load', { exact: false })
    .and(page.locator('input[type=range]'))
    .fill(String(multiple));
}

async function confirm(): Promise<void> {
  await page.getByRole('dialog').locator('.button-strong').click();
}

describe('the demo on its page', () => {
  it('keeps its goodput at five times the load, and serves what is most critical', async () => {
    await page.waitForTimeout(8_000);
    await setLoad(5);
    await page.waitForTimeout(10_000);
    expect(await meanOf(ofPeak(), 10)).toBeGreaterThanOrEqual(85);
    expect(await meanOf(servedOf('CRITICAL_PLUS'), 5)).toBeGreaterThanOrEqual(95);
    await screenshot(page, 'demo-5x');
    await screenshot(page, 'demo-5x-first-view', false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(1_500);
    await screenshot(page, 'demo-5x-dark', false);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('shows a lame duck and a killed backend within two seconds', async () => {
    await setLoad(1);
    await page.locator('#control-lame-duck').selectOption({ index: 2 });
    await stateOf('backend-2', 'lame duck').waitFor({ timeout: 2_000 });
    await screenshot(page, 'demo-lame-duck');
    await page.locator('#control-kill').selectOption({ index: 4 });
    await confirm();
    await stateOf('backend-4', /connecting|ejected|refusing/).waitFor({ timeout: 2_000 });
    await screenshot(page, 'demo-kill');
  });

  it('collapses without its guards, and comes back with them', async () => {
    await setLoad(5);
    const guard = page.getByRole('switch', { name: /^Guard/ });
    await guard.click();
    await confirm();
    await expect.poll(() => numberIn(ofPeak()), { timeout: 40_000, interval: 1_000 }).toBeLessThan(50);
    await page.waitForTimeout(5_000);
    await screenshot(page, 'demo-collapse');
    await guard.click();
    await confirm();
    await expect.poll(() => numberIn(ofPeak()), { timeout: 60_000, interval: 1_000 }).toBeGreaterThan(70);
    await screenshot(page, 'demo-recovered');
  });

  it('has no serious fault, and fits a phone', async () => {
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.waitForTimeout(2_000);
    expect(await overflowOf(page)).toBe(0);
    await screenshot(page, 'demo-phone');
    expect(watched.complaints).toEqual([]);
  });
});
