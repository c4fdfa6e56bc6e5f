import { describe, expect, it } from 'vitest';
import { LAME_DUCK_HEADER, LOAD_REPORT_TRAILER } from '../../wire/index.js';
import { withTrailers } from './grpc-answers.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('withTrailers', () => {
  it('adds ours to those of a handler, whose own come first', () => {
    expect(withTrailers({ 'grpc-status': 5, a: '1' }, { a: '2', b: '3' })).toEqual({
      'grpc-status': 5,
      a: '1',
      b: '3',
    });
    expect(withTrailers(undefined, { b: '3' })).toEqual({ b: '3' });
  });

  it('makes one report of two', () => {
    const both = withTrailers(
      { [LOAD_REPORT_TRAILER]: base64('theirs') },
      { [LOAD_REPORT_TRAILER]: base64('ours') },
    );
    expect(both).toEqual({ [LOAD_REPORT_TRAILER]: base64('ourstheirs') });
  });

  it('leaves it to the guard to say that we are about to leave', () => {
    const handedOn = { [LAME_DUCK_HEADER]: 'true', a: '1' };
    expect(withTrailers(handedOn, {})).toEqual({ a: '1' });
    expect(withTrailers({ a: '1' }, { [LAME_DUCK_HEADER]: 'true' })).toEqual({
      [LAME_DUCK_HEADER]: 'true',
      a: '1',
    });
  });
});
