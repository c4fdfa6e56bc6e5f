import { expect, it } from 'vitest';
import { RejectedError, rejectionIn } from './errors.js';

it('is known by its name, also where only that is written down', () => {
  const refusal = new RejectedError('PLIMSOLL_THROTTLED', 'withheld', { retry: 'no' });
  expect(String(refusal)).toBe('RejectedError: withheld');
});

it('finds a refusal in an error that was made of it', () => {
  const refusal = new RejectedError('PLIMSOLL_THROTTLED', 'withheld', { retry: 'no' });
  expect(rejectionIn(refusal)).toBe(refusal);
  expect(rejectionIn(new Error('14 UNAVAILABLE', { cause: refusal }))).toBe(refusal);
  for (const other of [
    new Error('x', { cause: new Error('y') }),
    new Error('x'),
    { cause: refusal },
    undefined,
  ])
    expect(rejectionIn(other)).toBeUndefined();
});
