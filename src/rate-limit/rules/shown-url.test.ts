import { describe, expect, it } from 'vitest';
import { shownUrl } from './shown-url.js';

describe('shownUrl', () => {
  it.each([
    ['ftp://host/a', '"ftp://host/a"'],
    ['htp://u:s3cret@h', '"…@h"'],
    ['redis://u:s3#cr@et/x@h:6379', '"…@h:6379"'],
    ['http://h/?password=s3cret', '"http://h/?…"'],
    [new URL('http://u:s3cret@h/#s3cret'), '"…@h/?…"'],
    [undefined, 'undefined'],
    [{ password: 's3cret' }, 'object'],
  ])('of %s is %s', (given, expected) => {
    expect(shownUrl(given)).toBe(expected);
  });
});
