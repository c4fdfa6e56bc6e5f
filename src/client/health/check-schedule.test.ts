import { expect, it } from 'vitest';
import { CheckSchedule } from './check-schedule.js';
import { HEALTH_DEFAULTS } from './health-options.js';

const make = () => new CheckSchedule(HEALTH_DEFAULTS, () => 0.5, 7);

it('begins at once', () => {
  expect(make().nextMs).toBe(7);
});

it('brings forward, and does not put off', () => {
  const schedule = make();
  schedule.never();
  schedule.byPace(0);
  expect(schedule.nextMs).toBe(1_000);
  schedule.by(2_000);
  expect(schedule.nextMs).toBe(1_000);
  schedule.byBackoff(500);
  expect(schedule.nextMs).toBe(750);
  schedule.at(5_000);
  expect(schedule.nextMs).toBe(5_000);
});

it('is soon, but not within 50 ms of the last', () => {
  const schedule = make();
  schedule.never();
  schedule.soon(100);
  expect(schedule.nextMs).toBe(100);
  schedule.onCheck(100);
  schedule.never();
  schedule.soon(120);
  expect(schedule.nextMs).toBe(150);
  schedule.never();
  schedule.soon(180);
  expect(schedule.nextMs).toBe(180);
});

it('looks no harder for one that nobody calls', () => {
  const schedule = make();
  schedule.atBackoff(0);
  schedule.atBackoff(0);
  expect(schedule.nextMs).toBe(375);
  schedule.restartBackoff();
  schedule.atBackoff(0);
  expect(schedule.nextMs).toBe(250);
  schedule.setPace('inactive');
  schedule.atBackoff(0);
  expect(schedule.nextMs).toBe(5_000);
  schedule.atPace(0);
  expect(schedule.nextMs).toBe(10_000);
  schedule.restart();
  schedule.atPace(0);
  expect(schedule.nextMs).toBe(5_000);
});
