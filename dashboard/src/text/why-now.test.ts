import { expect, it } from 'vitest';
import { whyNow } from './why-now.js';

it('says what the guard says', () => {
  expect(whyNow('refuses nothing')).toBe('Refuses nothing.');
  expect(whyNow('refuses nothing', { queue: 0.2 })).toBe('Refuses nothing.');
});

it('does not say that nothing is refused while others refuse', () => {
  expect(whyNow('refuses nothing', { quota: 420, backend: 180, limited: 3, unknown: 1 })).toBe(
    'Not overloaded itself. Refused at present: over quota 420/s, refused by backends 180/s, rate limit 3/s.',
  );
});

it('keeps the cause that the guard names', () => {
  expect(whyNow('refuses 30 % of SHEDDABLE: queue is at 0.91 of its target', { utilization: 12 })).toBe(
    'Refuses 30 % of SHEDDABLE: queue is at 0.91 of its target. Refused at present: overload 12/s.',
  );
});
