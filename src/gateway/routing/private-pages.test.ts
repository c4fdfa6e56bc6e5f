import { describe, expect, it } from 'vitest';
import { PathTemplate } from './path-template.js';
import { PrivatePages } from './private-pages.js';

describe('pages that a backend has for us', () => {
  const pages = new PrivatePages('/plimsoll');

  it.each([
    '/plimsoll',
    '/plimsoll/',
    '/plimsoll/watch',
    '/Plimsoll/Watch',
    '/%70limsoll/watch',
    '/plimsol%6C/ready',
    '/plimsol%256C/ready',
    '/plimsoll;a=b/watch',
    '/plimsoll/ready;x',
    '/;x/plimsoll/ready',
    '/;%78/plimsoll/ready',
    '/;/Plimsoll/ready',
    '/;a/;b/plimsoll/ready',
  ])('include %s', (path) => expect(pages.include(path)).toBe(true));

  it.each([
    '/',
    '/a',
    '/plimsolls',
    '/plimsol',
    '/a/plimsoll/watch',
    '/a%20b',
    '/pl',
    '/%70limsolls/watch',
    '/;x/plimsolls',
    '/a;x/plimsoll',
  ])('do not include %s', (path) => expect(pages.include(path)).toBe(false));

  it.each([
    ['/plimsoll/*', true],
    ['/Plimsoll/ready', true],
    ['/*', false],
    ['/:any/ready', false],
    ['/api/plimsoll/*', false],
  ])('are meant by %s: %j', (template, areMeant) => {
    expect(pages.areNamedBy(new PathTemplate(template))).toBe(areMeant);
  });

  it.each(['', '/'])('are not all of them below "%s"', (prefix) => {
    expect(new PrivatePages(prefix).include('/a')).toBe(false);
    expect(new PrivatePages(prefix).include('/')).toBe(false);
  });

  it('may be deeper', () => {
    const deeper = new PrivatePages('/_internal/health');
    expect(
      ['/_internal/health/watch', '/_internal', '/_internal/x'].map((path) => deeper.include(path)),
    ).toEqual([true, false, false]);
  });
});
