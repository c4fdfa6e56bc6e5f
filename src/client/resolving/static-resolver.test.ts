import { expect, it } from 'vitest';
import { Heard } from './listener.contract.js';
import { staticResolver } from './static-resolver.js';

it('tells what it was given, once', () => {
  const resolver = staticResolver(['http://b:1', { url: 'http://a:1', zone: 'z' }]);
  const heard = new Heard();
  resolver.start(heard);
  resolver.refresh();
  resolver.close();
  resolver.close();
  expect(heard.lists).toEqual([[{ url: 'http://a:1', zone: 'z' }, { url: 'http://b:1' }]]);
  expect(resolver.name).toBe('static');
});

it('refuses what is no backend when it is made', () => {
  expect(() => staticResolver(['http://a/path'])).toThrow(/backends\[0\].*"http:\/\/a\/path"/);
  expect(() => staticResolver(['http://a', 'http://a'])).toThrow('twice');
});
