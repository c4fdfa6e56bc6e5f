import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeaderKeeper } from './header-keeper.js';
import { restoreRequest, storeRequest } from './queued-request.js';

describe('a request that is stored', () => {
  it('is the same when it comes back, whatever its body', () => {
    const keeper = new HeaderKeeper('drop', []);
    const facts = { method: 'PUT', url: '/a?b', rule: 'r', key: 'k', dueMs: 20 };
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }).map(encode)), (body) => {
        const sent = { ...facts, headers: ['A', 'b'], body, nowMs: 10 };
        const stored = JSON.parse(JSON.stringify(storeRequest(keeper, 'id', sent, 5)));
        expect(stored.order).toBe(5);
        const { body: restored, ...rest } = restoreRequest(keeper, 'id', stored, 3);
        expect(Buffer.compare(restored, body)).toBe(0);
        expect(rest).toEqual({
          ...facts,
          facts: {},
          id: 'id',
          headers: ['a', 'b'],
          attempt: 3,
          acceptedMs: 10,
        });
      }),
    );
  });

  it('has what was known of it', () => {
    const keeper = new HeaderKeeper('drop', []);
    const sent = { method: 'PUT', url: '/', rule: 'r', key: 'k', dueMs: 0, nowMs: 0, headers: [] };
    const request = { ...sent, body: encode(''), facts: { route: 'posts' } };
    const stored = JSON.parse(JSON.stringify(storeRequest(keeper, 'id', request, 0)));
    expect(restoreRequest(keeper, 'id', stored, 1).facts).toEqual({ route: 'posts' });
  });

  it('has text as text', () => {
    const keeper = new HeaderKeeper('drop', []);
    const sent = { method: 'PUT', url: '/', rule: 'r', key: 'k', dueMs: 0, nowMs: 0, headers: [] };
    expect(storeRequest(keeper, 'id', { ...sent, body: encode('grüß') }, 0)).toMatchObject({ body: 'grüß' });
    expect(storeRequest(keeper, 'id', { ...sent, body: Uint8Array.of(0xff) }, 0)).toMatchObject({
      body: '/w==',
      encoding: 'base64',
    });
  });
});

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
