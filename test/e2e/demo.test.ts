import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overflowOf, PHONE, screenshot, seriousFaults, type WatchedPage } from './browser.js';
import { DemoProcess } from './demo-process.js';
import { setUp } from './set-up.js';

const slider = (on: Page) => on.locator('#control-load');
const unlocking = (on: Page) => on.getByRole('button', { name: 'Let me change things …' });

let watched: WatchedPage;
let page: Page;

const made = setUp(
  () => DemoProcess.start(1),
  async ({ program, open }) => {
    watched = await open(program.url);
    page = watched.page;
    await page.locator('#load canvas').waitFor();
    await unlocking(page).click();
    await confirm();
    await page.getByRole('button', { name: 'Lock the controls' }).waitFor();
  },
);

/** The number in an element, without its unit. */
async function numberIn(place: Locator): Promise<number> {
  return Number.parseFloat((await place.textContent()) ?? '');
}

/** As the page shows them, over some seconds: one reading is of two seconds, and requests come in bunches. */
async function meansOf(places: readonly Locator[], seconds: number): Promise<number[]> {
  const sums = places.map(() => 0);
  for (let i = 0; i < seconds; i++) {
    for (const [at, place] of places.entries()) sums[at]! += await numberIn(place);
    await page.waitForTimeout(1_000);
  }
  return sums.map((sum) => sum / seconds);
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
  await slider(page).fill(String(multiple));
}

async function confirm(): Promise<void> {
  await page.getByRole('dialog').locator('.button-strong').click();
}

describe('the demo on its page', () => {
  it('changes nothing before its reader has said so, once for a tab', async () => {
    const { page: tab } = await made.open(made.program.url);
    await unlocking(tab).waitFor();
    expect(await slider(tab).isDisabled()).toBe(true);
    await screenshot(tab, 'demo-locked');
    expect(await seriousFaults(tab)).toEqual([]);
    // By keyboard: no is no, and where the focus was it is again.
    const dialog = tab.getByRole('dialog');
    await unlocking(tab).focus();
    await tab.keyboard.press('Enter');
    expect(await dialog.textContent()).toContain('each control acts at once');
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await slider(tab).isDisabled()).toBe(true);
    await tab.keyboard.press('Enter');
    await dialog.waitFor();
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await expect.poll(() => slider(tab).isEnabled()).toBe(true);
    expect(await tab.locator('#lock-state').textContent()).toBe('Controls act at once.');
    expect(await tab.evaluate<string>('document.activeElement.textContent')).toBe('Lock the controls');
    await tab.reload();
    await slider(tab).waitFor();
    expect(await slider(tab).isEnabled()).toBe(true);
  });

  it('keeps its goodput at five times the load, and serves what is most critical', async () => {
    await setLoad(5);
    // Code is compiled, throttles learn.
    await page.waitForTimeout(10_000);
    const [goodput, mostCritical] = await meansOf([ofPeak(), servedOf('CRITICAL_PLUS')], 10);
    expect(goodput).toBeGreaterThanOrEqual(85);
    expect(mostCritical).toBeGreaterThanOrEqual(95);
    await screenshot(page, 'demo-5x');
    await screenshot(page, 'demo-5x-first-view', false);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(1_000);
    await screenshot(page, 'demo-5x-dark', false);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('shows a lame duck and a killed backend within two seconds', async () => {
    await setLoad(1);
    await page.locator('#control-lame-duck').selectOption({ index: 2 });
    await confirm();
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
    await page.waitForTimeout(2_000);
    await screenshot(page, 'demo-collapse');
    await guard.click();
    await confirm();
    await expect.poll(() => numberIn(ofPeak()), { timeout: 60_000, interval: 1_000 }).toBeGreaterThan(70);
    await screenshot(page, 'demo-recovered');
  });

  it('has no serious fault, and fits a phone', async () => {
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize(PHONE);
    await page.waitForTimeout(500);
    expect(await overflowOf(page)).toBe(0);
    await screenshot(page, 'demo-phone');
    expect(watched.complaints).toEqual([]);
  });
});
