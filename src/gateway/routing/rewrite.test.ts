import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readingsOf } from '../../rate-limit/rules/path-readings.js';
import { PathTemplate } from './path-template.js';
import { readPath } from './request-path.js';
import { Rewrite } from './rewrite.js';
import { TRICKY_PATHS } from './tricky-paths.contract.js';

function rewritten(path: string, to: string, asked: string): string | undefined {
  const read = readPath(asked);
  return read && new Rewrite(to, new PathTemplate(path)).apply(read);
}

describe('a rewritten path', () => {
  it.each([
    ['/users/:id', '/v2/people/:id', '/users/5', '/v2/people/5'],
    ['/users/:id', '/v2/people/:id', '/USERS/A%20b', '/v2/people/A%20b'],
    ['/a/:b/:c', '/:c/:b', '/a/1/2', '/2/1'],
    ['/api/*', '/*', '/api/x/y/', '/x/y/'],
    ['/api/*', '/*', '/api', '/'],
    ['/api/*', '/v1/*', '//api//x', '/v1/x'],
    ['/*', '/all/*', '/', '/all'],
    ['/a', '/', '/a', '/'],
    ['/a/*', '/b', '/a/x', '/b'],
  ])('%s → %s: %s is %s', (path, to, asked, result) => {
    expect(rewritten(path, to, asked)).toBe(result);
  });

  it.each([
    ['/users/:id', '/v2/:no', 'must have holes of path only, which has :id, got :no'],
    ['/users', '/v2/:no', 'which has none'],
    ['/users', '/v2/*', 'must have no *'],
  ])('%s cannot become %s', (path, to, problem) => {
    expect(() => new Rewrite(to, new PathTemplate(path))).toThrow(problem);
  });

  it('never leads out of where it begins, whoever reads it', () => {
    fc.assert(
      fc.property(TRICKY_PATHS, fc.constantFrom('/in/*', '/in/:a'), (asked, to) => {
        const path = to.endsWith('*') ? '/api/*' : '/api/:a';
        const read = readPath(`/api${asked}`);
        if (read === undefined || read.raw.length < 2) return;
        const result = new Rewrite(to, new PathTemplate(path)).apply(read);
        expect(result.startsWith('/in/')).toBe(true);
        expect(new URL(`http://h${result}`).pathname.startsWith('/in')).toBe(true);
        for (const parts of readingsOf(result) ?? []) expect(parts[0]).toBe('in');
      }),
    );
  });
});
