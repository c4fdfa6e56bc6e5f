import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventLine, sliceObject } from './slices.contract.js';
import { parseListPage, parseWatchEvent } from './watch-event.js';

describe('a line of a watch', () => {
  it.each([
    ['ADDED', 'put'],
    ['MODIFIED', 'put'],
    ['DELETED', 'delete'],
  ])('%s is a slice to %s', (type, kind) => {
    const event = parseWatchEvent(eventLine(type, sliceObject('a', 7, ['10.0.0.1'])));
    expect(event).toMatchObject({ kind, slice: { name: 'a', resourceVersion: '7' } });
  });

  it('may be a bookmark', () => {
    const line = eventLine('BOOKMARK', { metadata: { resourceVersion: '9' } });
    expect(parseWatchEvent(line)).toEqual({ kind: 'bookmark', resourceVersion: '9' });
  });

  it('may be an error', () => {
    expect(parseWatchEvent(eventLine('ERROR', { code: 410, message: 'too old' }))).toEqual({
      kind: 'error',
      status: 410,
      message: 'too old',
    });
    expect(parseWatchEvent(eventLine('ERROR', null))).toMatchObject({ kind: 'error', status: 0 });
  });

  it('may be of a type to come', () => {
    expect(parseWatchEvent(eventLine('PONDERED', {}))).toEqual({ kind: 'other' });
  });

  it.each([
    '',
    'x',
    'null',
    '7',
    '[]',
    '{}',
    '{"type":7}',
    eventLine('ADDED', {}),
    eventLine('BOOKMARK', {}),
  ])('is not %j', (line) => {
    expect(parseWatchEvent(line)).toEqual({ kind: 'garbage' });
  });

  it('of anything throws nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json({ maxDepth: 2 })),
        (line) => parseWatchEvent(line).kind === 'garbage',
      ),
    );
  });
});

describe('a page of a list', () => {
  const metadata = { resourceVersion: '5' };
  const items = [sliceObject('a', 1, [])];

  it('has slices, a version and where to go on', () => {
    expect(parseListPage(JSON.stringify({ metadata, items }))).toMatchObject({
      slices: [{ name: 'a' }],
      resourceVersion: '5',
      next: undefined,
    });
    const first = { metadata: { ...metadata, continue: 'more' }, items: [] };
    expect(parseListPage(JSON.stringify(first))?.next).toBe('more');
    const last = { metadata: { ...metadata, continue: '' }, items: [] };
    expect(parseListPage(JSON.stringify(last))?.next).toBeUndefined();
  });

  it.each([
    'x',
    '{}',
    { metadata },
    { metadata, items: {} },
    { metadata: {}, items },
    { metadata, items: [...items, { no: 'slice' }] },
  ])('is not %j', (page) => {
    expect(parseListPage(typeof page === 'string' ? page : JSON.stringify(page))).toBeUndefined();
  });
});
