import { describe, expect, it } from 'vitest';
import { readKnown } from './look-up.js';
import { PathTemplate } from './path-template.js';

describe('what was asked for of a route that is known', () => {
  const template = new PathTemplate('/q/:id');

  it.each(['/q/7?a=b', '//q//7?a=b', 'http://other.test/q/7?a=b'])('is read from %s', (url) => {
    expect(readKnown(template, url)).toMatchObject({
      path: { path: '/q/7', parts: ['q', '7'] },
      query: '?a=b',
    });
  });

  it.each(['/q', '/other/7', '/q/7/8', '/q/..', '*', 'q/7', '/q/%2e%2e', '/q/7#a'])(
    'is nothing of %s',
    (url) => {
      expect(readKnown(template, url)).toBeUndefined();
    },
  );
});
