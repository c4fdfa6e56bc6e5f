import { expect, it } from 'vitest';
import { SettingsError } from './settings-error.js';

it('has its problems as data and as lines', () => {
  const problems = [
    { line: 3, column: 5, path: 'a.b', text: 'is wrong' },
    { line: 4, column: 1, path: '', text: 'is no YAML' },
    { path: '', text: 'cannot be read' },
  ];
  const error = new SettingsError('x.yaml', problems);
  expect(error).toMatchObject({ name: 'SettingsError', file: 'x.yaml', problems, more: 0 });
  expect(error.message).toBe('x.yaml:3:5: a.b: is wrong\nx.yaml:4:1: is no YAML\nx.yaml: cannot be read');
});

it('has so many and no more', () => {
  const problems = Array.from({ length: 60 }, (_, at) => ({ line: at, column: 1, path: '', text: 'x' }));
  const error = new SettingsError('x.yaml', problems);
  expect(error.problems).toHaveLength(50);
  expect(error.more).toBe(10);
  expect(error.message).toMatch(/\nx\.yaml:49:1: x\nand 10 more$/);
});
