import { expect, it } from 'vitest';
import { findParserSlot } from './parser-slot.js';

it('finds where this Node tells of complete headers, by trying it out', () => {
  const slot = findParserSlot();
  expect(slot?.original.name).toBe('parserOnHeadersComplete');
  expect(findParserSlot()).toBe(slot);
});
