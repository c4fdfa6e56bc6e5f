import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeaderKeeper } from './header-keeper.js';

const KEY = new Uint8Array(32).fill(7);
const SENT = ['Accept', 'a', 'Authorization', 'top', 'Cookie', 'one', 'cookie', 'two', 'X-Mine', 'm'];

describe('a keeper of headers', () => {
  it('leaves secrets out, in whatever case they are named', () => {
    const keeper = new HeaderKeeper('drop', ['x-MINE']);
    const stored = keeper.store('id', [...SENT, 'x-api-key', 'k', 'SET-COOKIE', 's']);
    expect(stored).toEqual({ headers: ['accept', 'a'] });
    expect(keeper.restore('id', stored)).toEqual(['accept', 'a']);
  });

  it('keeps them when asked to', () => {
    const { headers, sealed } = new HeaderKeeper('keep', ['x-mine']).store('id', SENT);
    expect(headers).toEqual(SENT.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)));
    expect(sealed).toBeUndefined();
  });

  it('never keeps those of the connection', () => {
    const keeper = new HeaderKeeper('keep', []);
    const sent = [
      ...['Connection', 'keep-alive, X-Hop', 'x-hop', '1', 'Keep-Alive', '2', 'TE', '3', 'Upgrade', '4'],
      ...['Transfer-Encoding', '5', 'Trailer', '6', 'Proxy-Authorization', '7', 'Content-Length', '8'],
      ...['Proxy-Connection', '9', 'Expect', '10', 'proxy-authenticate', '11', 'x-end', 'stays'],
    ];
    expect(keeper.store('id', sent)).toEqual({ headers: ['x-end', 'stays'] });
  });

  it('never keeps what HTTP/2 has among them', () => {
    const sent = [':method', 'POST', ':path', '/', ':authority', 'a', ':scheme', 'https', 'x-end', 'stays'];
    expect(new HeaderKeeper('keep', []).store('id', sent)).toEqual({ headers: ['x-end', 'stays'] });
  });

  it('keeps the host, whatever is said of the connection', () => {
    const sent = ['host', 'a.test', 'connection', 'Host, x-hop', 'x-hop', '1'];
    expect(new HeaderKeeper('drop', []).store('id', sent)).toEqual({ headers: ['host', 'a.test'] });
  });

  it('leaves out what looks like a secret', () => {
    const sent = ['X-Auth-Token', 't', 'x_session_id', 's', 'Private-Token', 'p', 'x-end', 'stays'];
    expect(new HeaderKeeper('drop', []).store('id', sent)).toEqual({ headers: ['x-end', 'stays'] });
  });

  it('keeps what says of this request alone which it is, and whose, unless it is named', () => {
    const sent = ['idempotency-key', '"i"', 'x-idempotency-key', 'x', 'x-hub-signature-256', 'sha256=s'];
    expect(new HeaderKeeper('drop', []).store('id', sent)).toEqual({ headers: sent });
    const named = new HeaderKeeper('drop', ['idempotency-key']);
    expect(named.store('id', sent, ['x-hub-signature-256'])).toEqual({ headers: sent.slice(2, 4) });
  });

  it('sees through underscores', () => {
    const sent = ['x_api_key', 'k', 'X_Mine', 'm', 'x_yours', 'y', 'x_other', 'o'];
    const keeper = new HeaderKeeper('drop', ['x-mine']);
    expect(keeper.store('id', sent, ['x-yours'])).toEqual({ headers: ['x_other', 'o'] });
  });

  it('hides others that are named with a request', () => {
    expect(new HeaderKeeper('drop', []).store('id', SENT, ['x-mine'])).toEqual({ headers: ['accept', 'a'] });
    const keeper = new HeaderKeeper({ encryptWith: KEY }, []);
    const stored = keeper.store('id', ['X-Mine', 'm'], ['x-mine']);
    expect(stored.headers).toEqual([]);
    expect(keeper.restore('id', stored)).toEqual(['x-mine', 'm']);
  });

  it('encrypts them for one place, each time anew', () => {
    const keeper = new HeaderKeeper({ encryptWith: KEY }, ['x-mine']);
    const stored = keeper.store('id', SENT);
    expect(stored.headers).toEqual(['accept', 'a']);
    expect(stored.sealed).not.toBe(keeper.store('id', SENT).sealed);
    expect(keeper.restore('id', stored)).toEqual([
      ...['accept', 'a', 'authorization', 'top', 'cookie', 'one', 'cookie', 'two', 'x-mine', 'm'],
    ]);
    const unreadable = 'its encrypted headers cannot be read';
    expect(() => keeper.restore('other', stored)).toThrow(unreadable);
    const other = new HeaderKeeper({ encryptWith: new Uint8Array(32).fill(8) }, []);
    expect(() => other.restore('id', stored)).toThrow(unreadable);
    expect(() => keeper.restore('id', { headers: [], sealed: 'AAAA' })).toThrow(unreadable);
    expect(() => new HeaderKeeper('drop', []).restore('id', stored)).toThrow('no key was given');
  });

  it('does not encrypt what is not there', () => {
    expect(new HeaderKeeper({ encryptWith: KEY }, []).store('id', ['a', 'b'])).toEqual({
      headers: ['a', 'b'],
    });
  });

  it('notices each change of what is encrypted', () => {
    const keeper = new HeaderKeeper({ encryptWith: KEY }, []);
    const { sealed } = keeper.store('id', ['cookie', 'sid=1']);
    const bytes = Buffer.from(sealed!, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= change;
        expect(() => keeper.restore('id', { headers: [], sealed: changed.toString('base64') })).toThrow();
      }),
    );
  });

  it('refuses what it cannot do', () => {
    const make = (secrets: unknown) => () => new HeaderKeeper(secrets as never, []);
    expect(make('hide')).toThrow('secrets must be drop, keep or { encryptWith }, got hide');
    expect(make({})).toThrow('secrets.encryptWith must be 32 bytes, got undefined');
    expect(make({ encryptWith: new Uint8Array(16) })).toThrow('must be 32 bytes, got 16 bytes');
    expect(() => new HeaderKeeper('drop', ['a b'])).toThrow('secretHeaders must be the name of a header');
  });
});
