import { expect, it } from 'vitest';
import { Peak } from './peak.js';

it('is what was measured, until more was served for a while', () => {
  const peak = new Peak(100);
  for (let reading = 0; reading < 9; reading++) peak.observe(120);
  expect(peak.perSecond).toBe(100);
  peak.observe(110);
  expect(peak.perSecond).toBe(119);
  for (let reading = 0; reading < 7_200; reading++) peak.observe(0);
  expect(peak.perSecond).toBe(119);
});

it('is not moved by a single reading', () => {
  const peak = new Peak(100);
  for (let reading = 0; reading < 20; reading++) peak.observe(reading === 15 ? 200 : 80);
  expect(peak.perSecond).toBe(100);
});
