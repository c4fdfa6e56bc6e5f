import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { overflowOf, PHONE, screenshot, seriousFaults } from './browser.js';
import { BusyGateway, TOKEN } from './busy-gateway.js';
import { setUp } from './set-up.js';

const made = setUp(() => BusyGateway.start(TOKEN));

/** With the token in the fragment, as `plimsoll demo` prints it; resolves when lines have been drawn. */
async function open(options: BrowserContextOptions = {}, url = `${made.program.url}#token=${TOKEN}`) {
  const watched = await made.open(url, options);
  await shown(watched.page);
  return watched;
}

/** Two seconds' worth of traffic. */
async function shown(page: Page): Promise<void> {
  await page.getByText('live', { exact: true }).waitFor();
  await page
    .locator('.figure-value', { hasText: /^[1-9][\d.]*\/s$/ })
    .first()
    .waitFor();
}

/** What a chart looks like, to be compared. */
function pictureOf(page: Page, panel: string): Promise<string> {
  return page.evaluate<string>(`document.querySelector('#${panel} canvas').toDataURL()`);
}

const rowsOf = (page: Page, panel: string) => page.locator(`#${panel} tbody tr`).count();

describe('the dashboard', () => {
  it('loads without complaints or faults of accessibility, fills its tables, and its charts move', async () => {
    const { page, complaints } = await open();
    expect(await rowsOf(page, 'service-shop')).toBe(3);
    expect(await rowsOf(page, 'customers')).toBeGreaterThanOrEqual(3);
    expect(await rowsOf(page, 'limits')).toBeGreaterThanOrEqual(1);
    await page.locator('#decisions tbody tr').first().waitFor();
    expect(await page.locator('#decisions').textContent()).toContain('per-customer has nothing left');
    const before = await pictureOf(page, 'traffic');
    await expect.poll(() => pictureOf(page, 'traffic'), { timeout: 5_000 }).not.toBe(before);
    // Lines that can be seen as such.
    await page.waitForTimeout(4_000);
    await screenshot(page, 'overview-light');
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('takes the token out of the address bar, and keeps it for the tab', async () => {
    const { page } = await open();
    expect(page.url()).not.toContain(TOKEN);
    await page.reload();
    await shown(page);
  });

  it('shows a lame duck within two seconds, in words and as an event', async () => {
    const { page } = await open();
    made.program.lameDuckOne();
    await page.locator('#service-shop .badge', { hasText: 'lame duck' }).waitFor({ timeout: 2_000 });
    await page.locator('.happenings', { hasText: 'is lame duck' }).waitFor({ timeout: 2_500 });
    expect(await page.locator('[role=status]').textContent()).toContain('lame duck');
    await page.locator('#traffic .chart-mark').first().waitFor();
  });

  it('is dark where the system is, and where its reader wants it', async () => {
    const background = (page: Page) =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const { page, complaints } = await open({ colorScheme: 'dark' });
    expect(await background(page)).toBe('rgb(13, 18, 23)');
    await screenshot(page, 'overview-dark');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Colours/ }).click();
    expect(await background(page)).toBe('rgb(243, 245, 247)');
    await page.reload();
    expect(await background(page)).toBe('rgb(243, 245, 247)');
    expect(complaints).toEqual([]);
  });

  it('fits a phone', async () => {
    const { page, complaints } = await open({ viewport: PHONE, isMobile: true, hasTouch: true });
    expect(await overflowOf(page)).toBe(0);
    await screenshot(page, 'overview-phone');
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('is used by keyboard alone', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    expect(await focusText(page)).toBe('Skip to the content');
    const reached = new Set<string>();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      reached.add(await focusText(page));
    }
    for (const name of [
      'Overview',
      'Simulator',
      'Lame duck …',
      'Drain …',
      'criticality',
      'reason',
      'Backends of shop',
    ])
      expect([...reached]).toContain(name);
    await page.getByRole('button', { name: 'Lame duck …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.locator('.status .badge').first().textContent()).toBe('ready');
  });
});

describe('who may look, and act', () => {
  it('is asked for a token; a wrong one is refused, the right one shows everything', async () => {
    const { page } = await made.open(made.program.url);
    await page.getByLabel('Token').fill('not-the-right-token');
    await page.getByRole('button', { name: 'Show the dashboard' }).click();
    await page.getByRole('alert').filter({ hasText: 'refused' }).waitFor();
    expect(await page.locator('.figures').count()).toBe(0);
    await screenshot(page, 'wrong-token');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByLabel('Token').fill(TOKEN);
    await page.getByRole('button', { name: 'Show the dashboard' }).click();
    await shown(page);
  });

  it('may only look where there is no token', async () => {
    const open_ = await BusyGateway.start(undefined);
    try {
      const { page } = await open({}, open_.url);
      expect(await page.getByRole('button', { name: 'Drain …' }).isDisabled()).toBe(true);
      expect(await page.locator('#read-only').textContent()).toContain('admin.token');
    } finally {
      await open_.stop();
    }
  });

  it('acts with a token, after a question', async () => {
    const own = await BusyGateway.start(TOKEN);
    try {
      const { page } = await open({}, `${own.url}#token=${TOKEN}`);
      await page.getByRole('button', { name: 'Lame duck …' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Lame duck' }).click();
      await page.locator('.status .badge', { hasText: 'lame duck' }).waitFor({ timeout: 3_000 });
    } finally {
      await own.stop();
    }
  });
});

describe('several workers', () => {
  it('are shown together, and one by one', async () => {
    const fleet = await BusyGateway.start(TOKEN, 'workers: 2\n');
    try {
      const { page, complaints } = await open({}, `${fleet.url}#token=${TOKEN}`);
      expect(await rowsOf(page, 'workers')).toBe(2);
      expect(await rowsOf(page, 'service-shop')).toBe(3);
      await page.getByRole('combobox', { name: 'Worker' }).selectOption('1');
      await page.locator('.facts', { hasText: 'up' }).waitFor();
      await screenshot(page, 'workers');
      expect(complaints).toEqual([]);
    } finally {
      await fleet.stop();
    }
  });
});

/** What has the focus, by its label or its text. */
function focusText(page: Page): Promise<string> {
  return page.evaluate<string>(
    "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? ''",
  );
}
