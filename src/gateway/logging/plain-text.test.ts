import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loggedMessage, loggedName, loggedPath } from './plain-text.js';

describe('loggedPath', () => {
  it('has no query unless that is asked for', () => {
    expect(loggedPath('/a/b?token=x', false)).toBe('/a/b');
    expect(loggedPath('/a/b', true)).toBe('/a/b');
    expect(loggedPath('*', false)).toBe('*');
  });

  it('shows a query without what lets somebody in', () => {
    expect(loggedPath('/a?page=2&access_token=x&api_key=y&q=', true)).toBe(
      '/a?page=2&access_token=***&api_key=***&q=',
    );
    expect(loggedPath('/a?%74oken=x&X-Amz-Signature=s&PASSWORD=p&code=c', true)).toBe(
      '/a?%74oken=***&X-Amz-Signature=***&PASSWORD=***&code=***',
    );
    expect(loggedPath('/a?%zztoken=x', true)).toBe('/a?%zztoken=***');
    // What a cut leaves of it is no less secret.
    expect(loggedPath(`/a?${'p'.repeat(1_015)}&token=secret`, true)).not.toContain('secret');
  });

  it('does not say who asked in the form of proxies', () => {
    expect(loggedPath('http://name:password@host/path?q', false)).toBe('/path');
    expect(loggedPath('http://name:password@host', false)).toBe('/');
  });

  it('is ASCII of a bounded length, whatever came', () => {
    expect(loggedPath('/caf\u00e9\u009b2J', false)).toBe('/caf%C3%A9%C2%9B2J');
    expect(loggedPath(`/${'a'.repeat(2_000)}`, false)).toBe(`/${'a'.repeat(1_023)}...`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1_300 }), fc.boolean(), (url, withQuery) => {
        const path = loggedPath(url, withQuery);
        expect(path).toMatch(/^[\x20-\x7e]*$/);
        expect(path.length).toBeLessThan(2_100);
      }),
      { numRuns: 30 },
    );
    expect(loggedPath('/\ud800', false)).toBe('/%EF%BF%BD');
  });
});

describe('names and messages', () => {
  it('keep their letters, and lose what moves a cursor', () => {
    expect(loggedName('Jürgen & Söhne')).toBe('Jürgen & Söhne');
    expect(loggedName('a\u009b2J\u202eb\u007f')).toBe('a?2J?b?');
    expect(loggedName('a'.repeat(300))).toBe(`${'a'.repeat(256)}...`);
    expect(loggedMessage('\u2028')).toBe('?');
    expect(loggedMessage('no redis://me:pass@host:1, no redis://:pw@host')).toBe(
      'no redis://***@host:1, no redis://***@host',
    );
    expect(loggedMessage('a'.repeat(1_100))).toHaveLength(1_027);
  });
});
