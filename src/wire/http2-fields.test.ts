import { expect, it } from 'vitest';
import { addField, type Http2Fields, isOfConnection, withoutRepeats } from './http2-fields.js';

it('writes names in lower case, and each value of a name', () => {
  const fields: Http2Fields = {};
  addField(fields, 'X-Own', '1');
  addField(fields, 'set-cookie', 'a');
  addField(fields, 'Set-Cookie', 'b');
  addField(fields, 'set-cookie', 'c');
  expect(fields).toEqual({ 'x-own': '1', 'set-cookie': ['a', 'b', 'c'] });
});

it('leaves out what belongs to connections, and what only the protocol may say', () => {
  const fields: Http2Fields = {};
  for (const name of [
    'Connection',
    'keep-alive',
    'proxy-connection',
    'Transfer-Encoding',
    'upgrade',
    ':status',
  ])
    addField(fields, name, 'x');
  expect(fields).toEqual({});
  expect([isOfConnection('upgrade'), isOfConnection('te')]).toEqual([true, false]);
});

it('can be told once of each', () => {
  expect(withoutRepeats({ location: ['/a', '/b'], 'set-cookie': ['a', 'b'], x: '1' })).toEqual({
    location: '/a',
    'set-cookie': ['a', 'b'],
    x: '1',
  });
});
