import { describe, expect, it } from 'vitest';
import { EndpointSlices } from './endpoint-slices.js';
import { eventLine, sliceObject } from './slices.contract.js';
import { WatchCourse } from './watch-course.js';
import { WatchReader } from './watch-reader.js';

function watch() {
  const slices = new EndpointSlices({ protocol: 'http:', port: undefined });
  const course = new WatchCourse({ retryMinMs: 1, retryMaxMs: 1, refreshGapMs: 1 }, () => 0);
  course.listed('1');
  const reader = new WatchReader(slices, course);
  return {
    course,
    read: (text: string) => reader.read(Buffer.from(text)),
    urls: () => slices.backends().map(({ url }) => url),
  };
}

const added = eventLine('ADDED', sliceObject('a', 2, ['10.0.0.1']));

describe('a watch that is read', () => {
  it('changes slices and version', () => {
    const { course, read, urls } = watch();
    read(added + eventLine('MODIFIED', sliceObject('a', 3, ['10.0.0.2'])));
    expect(urls()).toEqual(['http://10.0.0.2:8080']);
    expect(course.resourceVersion).toBe('3');
    read(eventLine('DELETED', sliceObject('a', 4, ['10.0.0.2'])));
    expect(urls()).toEqual([]);
    expect(course.resourceVersion).toBe('4');
    read(eventLine('BOOKMARK', { metadata: { resourceVersion: '50' } }) + eventLine('PONDERED', {}));
    expect(course.resourceVersion).toBe('50');
  });

  it('has not seen a line that was cut off', () => {
    const { course, read, urls } = watch();
    read(added.slice(0, -1));
    expect(urls()).toEqual([]);
    expect(course.resourceVersion).toBe('1');
  });

  it.each([
    ['nonsense\n', 'no event'],
    [`${'x'.repeat(1_000_001)}\n`, 'more than'],
  ])('ends with a line that cannot be read, and what came before it holds', (line, message) => {
    const { course, read, urls } = watch();
    expect(() => read(added + line)).toThrow(message);
    expect(urls()).toEqual(['http://10.0.0.1:8080']);
    expect(course.resourceVersion).toBeUndefined();
  });

  it('ends with an error, of which the course decides', () => {
    const { course, read } = watch();
    const error = eventLine('ERROR', { code: 410, message: 'too old' });
    expect(() => read(error)).toThrow(expect.objectContaining({ status: 410, message: 'too old' }));
    expect(course.resourceVersion).toBe('1');
  });
});
