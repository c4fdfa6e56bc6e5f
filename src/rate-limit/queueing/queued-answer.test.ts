import { describe, expect, it } from 'vitest';
import { HeaderKeeper } from './header-keeper.js';
import { type PerformedAnswer, restoreAnswer, storeAnswer } from './queued-answer.js';

const plain = new HeaderKeeper('drop', []);
const there = (answer: PerformedAnswer, keeper = plain) =>
  restoreAnswer(keeper, 'id', storeAnswer(keeper, 'id', answer, 5));

describe('an answer that is stored', () => {
  it('has text as text, and bytes in base64', () => {
    expect(there({ status: 200, body: 'grüß'.slice(0, 3) })).toEqual({
      status: 200,
      headers: [],
      body: 'grü',
    });
    expect(there({ status: 200, headers: ['A', 'b'], body: Uint8Array.of(0xff) })).toEqual({
      status: 200,
      headers: ['a', 'b'],
      body: '/w==',
      encoding: 'base64',
    });
    expect(there({ status: 204 })).toEqual({ status: 204, headers: [], body: '' });
  });

  it('has no body that is too long, or was left out already', () => {
    expect(there({ status: 200, body: '12345' }).body).toBe('12345');
    expect(there({ status: 200, body: '123456' })).toEqual({ status: 200, headers: [], isBodyOmitted: true });
    expect(there({ status: 200, isBodyOmitted: true })).toEqual({
      status: 200,
      headers: [],
      isBodyOmitted: true,
    });
  });

  it('has its secrets encrypted, for another place than those of the request', () => {
    const keeper = new HeaderKeeper({ encryptWith: new Uint8Array(32) }, []);
    const text = storeAnswer(keeper, 'id', { status: 200, headers: ['set-cookie', 's=1'] }, 5);
    expect(text).not.toContain('s=1');
    expect(restoreAnswer(keeper, 'id', text)).toEqual({
      status: 200,
      headers: ['set-cookie', 's=1'],
      body: '',
    });
    expect(() => keeper.restore('id', JSON.parse(text))).toThrow('cannot be read');
  });

  it('may have its headers as others have them', () => {
    const headers = { 'X-A': '1', 'x-b': ['2', '3'] };
    const flat = ['x-a', '1', 'x-b', '2', 'x-b', '3'];
    expect(there({ status: 200, headers }).headers).toEqual(flat);
    expect(there({ status: 200, headers: new Headers({ 'X-A': '1' }) } as never).headers).toEqual([
      'x-a',
      '1',
    ]);
    expect(there({ status: 200, headers: [['X-A', '1']] } as never).headers).toEqual(['x-a', '1']);
    for (const wrong of [{ a: 1 }, ['a'], 'a: b', 5, ['a', 5], { a: undefined }]) {
      expect(() => there({ status: 200, headers: wrong } as never)).toThrow(
        'perform must answer with headers that are a list of names and values',
      );
    }
  });

  it('must be one', () => {
    expect(() => there({ status: 200, body: { a: 1 } } as never)).toThrow(
      new TypeError('perform must answer with a body that is a text or bytes, got object'),
    );
    expect(there({ status: 200, body: null } as never).body).toBe('');
    expect(() => there(undefined as never)).toThrow('perform must answer with a status, got undefined');
    expect(() => there({ status: '200' } as never)).toThrow('perform must answer with a status, got 200');
  });
});
