import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capacityUrl, checkResource, readCapacityPath } from './capacity-path.js';

describe('paths of capacity', () => {
  it('name a resource and what to do', () => {
    expect(readCapacityPath('/capacity/gpu/ask')).toEqual({ resource: 'gpu', action: 'ask' });
    expect(readCapacityPath('/capacity/gpu/release?x=1')).toEqual({ resource: 'gpu', action: 'release' });
  });

  it('are nothing else', () => {
    const others = [
      '',
      '/',
      '/capacity',
      '/capacity/a',
      '/capacity//ask',
      '/capacity/a/b/ask',
      '/x/capacity/a/ask',
    ];
    for (const url of [...others, '/capacity/a/asks']) expect(readCapacityPath(url)).toBeUndefined();
  });

  it('carry every name that may be given', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\w[\w.:@-]{0,30}$/), (resource) => {
        const { pathname } = new URL(capacityUrl('http://a:1/', checkResource(resource), 'ask'));
        expect(readCapacityPath(pathname)).toEqual({ resource, action: 'ask' });
      }),
    );
    for (const name of ['', '.', '..', 'a/b', 'a b', 'ä', undefined, 'x'.repeat(257)])
      expect(() => checkResource(name)).toThrow('resource must be a name');
  });

  it('keep the path of an address', () => {
    expect(capacityUrl('http://a:1/x/', 'gpu', 'ask')).toBe('http://a:1/x/capacity/gpu/ask');
  });
});
