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

  it('must be one', () => {
    expect(() => there(undefined as never)).toThrow('perform must answer with a status, got undefined');
    expect(() => there({ status: '200' } as never)).toThrow('perform must answer with a status, got 200');
  });
});
