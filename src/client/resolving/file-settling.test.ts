import { expect, it } from 'vitest';
import { FileSettling } from './file-settling.js';

it('reads at once what it sees first', () => {
  const file = new FileSettling();
  expect(file.observe('a')).toBe('read');
  expect(file.observe('a')).toBe('nothing');
});

it('reads what has changed once it stays the same', () => {
  const file = new FileSettling();
  file.observe('a');
  expect(['b', 'c', 'c', 'c'].map((mark) => file.observe(mark))).toEqual(['wait', 'wait', 'read', 'nothing']);
});

it('need not read what has become as it was', () => {
  const file = new FileSettling();
  file.observe('a');
  expect(['gone', 'a'].map((mark) => file.observe(mark))).toEqual(['wait', 'nothing']);
});

it('tries again what could not be read', () => {
  const file = new FileSettling();
  file.observe('a');
  file.readAgain();
  expect(file.observe('a')).toBe('read');
});
