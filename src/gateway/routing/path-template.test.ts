import { describe, expect, it } from 'vitest';
import { PathTemplate } from './path-template.js';

describe('a path with holes', () => {
  it('is read', () => {
    const { parts, isOpen, holes } = new PathTemplate('/Users/:id/files/*');
    expect(parts).toEqual(['users', undefined, 'files']);
    expect(isOpen).toBe(true);
    expect([...holes]).toEqual([['id', 1]]);
    expect(new PathTemplate('/').parts).toEqual([]);
    expect(new PathTemplate('/*')).toMatchObject({ parts: [], isOpen: true });
    expect(new PathTemplate('/a%20b/').parts).toEqual(['a b']);
    expect(new PathTemplate('/%7Bid%7D').parts).toEqual(['{id}']);
    expect(new PathTemplate('/v1/users:search').parts).toEqual(['v1', 'users:search']);
  });

  it.each([
    ['/a', ['a'], true],
    ['/a', ['a', 'b'], false],
    ['/a', [], false],
    ['/a', ['b'], false],
    ['/A/:id', ['a', 'anything'], true],
    ['/a/:id', ['a'], false],
    ['/a/*', ['a'], true],
    ['/a/*', ['a', 'b', 'c'], true],
    ['/a/*', ['b', 'a'], false],
    ['/*', [], true],
  ])('%s fits %j: %j', (text, parts, fits) => {
    expect(new PathTemplate(text).fits(parts)).toBe(fits);
  });

  it.each([
    ['users', 'must begin with /'],
    ['/a?b', 'must have no query'],
    ['/a//b', 'must have single slashes'],
    ['/a/*/b', 'must have * as its last part'],
    ['/a*', 'must have * as its last part'],
    ['/:', 'must have names like :id'],
    ['/:id/:id', 'must have :id once'],
    ['/users/{id}', 'must have holes like :id, and braces that are meant as %7B, got "/users/{id}"'],
    ['/users/{id}.json', 'must have holes like :id'],
    ['/a/../b', 'read in one way'],
    ['/a;b', 'read in one way'],
    ['/a%2fb', 'read in one way'],
    ['/x'.repeat(33), 'must have 32 parts at most'],
  ])('%s %s', (text, problem) => {
    expect(() => new PathTemplate(text)).toThrow(problem);
  });

  it.each([
    ['/*', '/a/:b', true],
    ['/*', '/', true],
    ['/a/*', '/a', true],
    ['/a/*', '/A/b/*', true],
    ['/a/:b', '/a/c', true],
    ['/a/:b', '/a/:c', true],
    ['/a/b', '/a/:c', false],
    ['/a/:b', '/a/*', false],
    ['/a/b/*', '/a/*', false],
    ['/a', '/a/b', false],
    ['/a/*', '/b', false],
  ])('%s takes all of %s: %s', (wide, narrow, covers) => {
    expect(new PathTemplate(wide).covers(new PathTemplate(narrow))).toBe(covers);
  });
});
