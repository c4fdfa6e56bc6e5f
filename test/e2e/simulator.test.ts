import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { formatCheckValue } from '../../src/simulations/report/checks.js';
import { SCENARIOS } from '../../src/simulator/scenarios/index.js';
import { overflowOf, PHONE, screenshot, seriousFaults } from './browser.js';
import { IdleGateway, TOKEN } from './idle-gateway.js';
import { setUp } from './set-up.js';

const made = setUp(() => IdleGateway.start());

/** The token is in the tab before the page is: a fragment has room for one thing. */
async function open(fragment = '#/simulator', options: BrowserContextOptions = {}) {
  const watched = await made.open(`${made.program.url}#token=${TOKEN}`, options);
  const { page } = watched;
  await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
  await page.locator('#sim-scenario option[value="plateau"]').waitFor({ state: 'attached' });
  return watched;
}

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
const results = (page: Page) => page.locator('.sim-results').waitFor({ timeout: 60_000 });
const ownFleet = (page: Page) => page.getByLabel('Scenario').selectOption('a fleet of your own');

const FLEET = `durationMs: 5000
services:
  web: { backends: 4 } # <img src=x onerror=alert(1)>
clients:
  people: { count: 2, service: web, arrivals: 50 }
`;

describe('the simulator', () => {
  it('runs a scenario in a worker, and finds what the command line finds', async () => {
    const { page, complaints } = await open('#/simulator?scenario=figure-20-5&seed=7');
    expect(await page.getByLabel('Seed').inputValue()).toBe('7');
    await run(page);
    await results(page);
    const { result, figures } = SCENARIOS.find(({ name }) => name === 'figure-20-5')!.run({ seed: 7 });
    const claims = page.getByRole('region', { name: 'claims' }).locator('tbody tr');
    expect(await claims.allTextContents()).toEqual(
      result.checks.map((check) => `${check.name}✓ yes${formatCheckValue(check)}${check.bound}`),
    );
    const drawings = page.locator('.sim-figure svg[role=img]');
    expect(await drawings.count()).toBe(figures.length);
    expect(await drawings.first().getAttribute('aria-label')).toContain(figures[0]!.title);
    expect(await drawings.locator('path, rect').count()).toBeGreaterThan(50);
    expect(complaints).toEqual([]);
  });

  it('lists every scenario with its claim', async () => {
    const { page } = await open();
    expect(await page.locator('#sim-scenario option').count()).toBe(SCENARIOS.length + 1);
    await page.getByLabel('Scenario').selectOption('quota-fleet');
    const { claim } = SCENARIOS.find(({ name }) => name === 'quota-fleet')!;
    expect(await page.locator('#sim-claim').textContent()).toBe(`Claims: ${claim}. Takes about a minute.`);
  });

  it('says what is wrong with a fleet, with line and column, and leads there', async () => {
    const { page, complaints } = await open();
    await ownFleet(page);
    await page.getByLabel('Fleet, as YAML').fill(FLEET.replace('backends', 'bakends'));
    const problem = page.getByRole('button', { name: /fleet\.yaml:3:10: .*did you mean backends\?/ });
    await problem.click();
    const at = await page.evaluate<unknown>(
      '[document.activeElement.id, document.activeElement.selectionStart]',
    );
    expect(at).toEqual(['sim-fleet', FLEET.indexOf('backends')]);
    await screenshot(page, 'simulator-problems');
    await run(page);
    await page.getByRole('alert').filter({ hasText: 'fleet.yaml:3:10' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('reads YAML as the command line does, though the page has less of it', async () => {
    const { page } = await open();
    await ownFleet(page);
    const verdict = page.locator('#sim-verdict');
    await page.getByLabel('Fleet, as YAML').fill(`%YAML 1.1\n---\n${FLEET}`);
    await verdict
      .filter({ hasText: /^fleet\.yaml:1:1: YAML 1\.1 is not read: leave that line out$/ })
      .waitFor();
    await page.getByLabel('Fleet, as YAML').fill(FLEET.replace('{ backends: 4 }', '!!binary "eA=="'));
    await verdict.filter({ hasText: 'fleet.yaml:3:8: tags are not known here: leave it out' }).waitFor();
    await page
      .getByLabel('Fleet, as YAML')
      .fill(FLEET.replace('web: {', 'api: &a { backends: 2 }\n  web: {'));
    await verdict.filter({ hasText: /^About 1\.0 k requests: some 1 s\.$/ }).waitFor();
  });

  it('compares policies side by side, and gives a link that brings all of it back', async () => {
    const first = await open();
    const { page } = first;
    await ownFleet(page);
    await page.getByLabel('Fleet, as YAML').fill(FLEET);
    await page.getByLabel('round-robin').check();
    await page.getByLabel('prequal').check();
    await page.getByLabel('Seed').fill('42');
    await run(page);
    await results(page);
    expect(await page.locator('.sim-figure svg').count()).toBe(2);
    expect(await page.locator('.sim-results').textContent()).toContain(
      'plimsoll simulate fleet.yaml --seed 42 --policy round-robin,prequal',
    );
    const numbers = await page.getByRole('region', { name: 'requests' }).textContent();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByLabel('link to this simulation').inputValue();
    expect(link).toBe(page.url());
    expect(link).not.toContain(TOKEN);
    await first.close();

    const again = await open(new URL(link).hash);
    await expect.poll(() => again.page.getByLabel('Seed').inputValue()).toBe('42');
    expect(await again.page.getByLabel('Fleet, as YAML').inputValue()).toBe(FLEET);
    expect(await again.page.getByLabel('round-robin').isChecked()).toBe(true);
    expect(await again.page.getByLabel('weighted').isChecked()).toBe(false);
    // A link runs nothing by itself: anybody may have sent it.
    expect(await again.page.locator('.sim-results').count()).toBe(0);
    await run(again.page);
    await results(again.page);
    expect(await again.page.getByRole('region', { name: 'requests' }).textContent()).toBe(numbers);
    expect(again.complaints).toEqual([]);
  });

  it('is cancelled, and runs again', async () => {
    const { page, complaints } = await open('#/simulator?scenario=quota-fleet');
    await run(page);
    await page.locator('.sim-progress', { hasText: /events\/s/ }).waitFor({ timeout: 30_000 });
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled.').waitFor();
    expect(await page.locator('.sim-progress').count()).toBe(0);
    await page.getByLabel('Scenario').selectOption('figure-20-3');
    await run(page);
    await results(page);
    expect(complaints).toEqual([]);
  });

  it('gives the fleet of a scenario to be changed', async () => {
    const { page } = await open('#/simulator?scenario=slow-backends');
    await run(page);
    await results(page);
    await page
      .getByRole('button', { name: /^edit / })
      .first()
      .click();
    expect(await page.getByLabel('Fleet, as YAML').inputValue()).toMatch(
      /^# slow-backends.*\n[\s\S]*services:\n/,
    );
    await page.locator('#sim-verdict', { hasText: /^About .* requests: some / }).waitFor();
  });

  it('takes no notice of what is no choice in a link', async () => {
    const { page, complaints } = await open();
    for (const fragment of [
      '#/simulator?scenario=<img src=x onerror=alert(1)>',
      '#/simulator?fleet=AAAA&seed=1',
      `#/simulator?scenario=plateau&x=${'y'.repeat(9_000)}`,
    ]) {
      // As it is when somebody opens a link: the page begins with it.
      await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
      await page.reload();
      await page.locator('#sim-scenario option[value="plateau"]').waitFor({ state: 'attached' });
      expect(await page.getByLabel('Seed').inputValue()).toBe('0');
      expect(await page.getByLabel('Scenario').inputValue()).toBe('plateau');
    }
    expect(complaints).toEqual([]);
  });
});

describe('its looks', () => {
  it('are fit for a reader of screens, in the dark', async () => {
    const { page, complaints } = await open('#/simulator?scenario=figure-20-6', { colorScheme: 'dark' });
    await run(page);
    await results(page);
    expect(await page.locator('.sim-figure rect').first().getAttribute('fill')).toBe('#141b22');
    await screenshot(page, 'simulator-dark');
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: /^Colours/ }).click();
    expect(await page.locator('.sim-figure rect').first().getAttribute('fill')).toBe('#ffffff');
    await screenshot(page, 'simulator-light');
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('fit a phone', async () => {
    const { page, complaints } = await open('#/simulator?scenario=isolation', {
      viewport: PHONE,
      isMobile: true,
      hasTouch: true,
    });
    await run(page);
    await results(page);
    expect(await overflowOf(page)).toBe(0);
    await screenshot(page, 'simulator-phone');
    expect(await seriousFaults(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
