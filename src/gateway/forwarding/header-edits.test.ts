import { describe, expect, it } from 'vitest';
import { HeaderEdits } from './header-edits.js';

describe('HeaderEdits', () => {
  it('drops what it sets or removes, in any case', () => {
    const edits = new HeaderEdits('edits', { set: { 'X-A': '1' }, remove: ['X-B'] });
    expect(edits.set).toEqual(['x-a', '1']);
    expect(['x-a', 'X-A', 'x-b', 'X-B', 'x-c'].map((name) => edits.drops(name))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(new HeaderEdits('edits', {}).drops('x')).toBe(false);
  });

  it('knows no difference between dashes and underscores, where backends might not', () => {
    const edits = new HeaderEdits('edits', { set: { 'x-a': '1', x_b: '2' }, remove: ['X-C_D'] });
    const names = ['X_A', 'x-a', 'x-b', 'x_b', 'x_c-d', 'x-c-d', 'xa', 'x-e'];
    expect(names.filter((name) => edits.dropsAlike(name))).toEqual(names.slice(0, 6));
    expect(['x_a', 'x-b', 'x_c-d'].map((name) => edits.drops(name))).toEqual([false, false, false]);
  });

  it.each([
    [{ set: { 'a b': '1' } }, 'edits must name headers, got "a b"'],
    [{ remove: [''] }, 'edits must name headers, got ""'],
    [{ set: { a: '1\r\nb: 2' } }, 'edits must have values of one line, got "1\\r\\nb: 2"'],
    [{ set: { a: 1 as unknown as string } }, 'edits must have values of one line, got 1'],
    [{ set: { 'Content-Length': '1' } }, 'edits must not change "content-length"'],
    [{ remove: ['Host'] }, 'edits must not change "host"'],
  ])('refuses %j', (options, message) => {
    expect(() => new HeaderEdits('edits', options)).toThrow(message);
  });
});
