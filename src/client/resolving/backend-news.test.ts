import { expect, it } from 'vitest';
import { BackendNews } from './backend-news.js';
import { Heard } from './listener.contract.js';

function start(): { news: BackendNews; heard: Heard } {
  const news = new BackendNews('orders');
  const heard = new Heard();
  news.listen(heard);
  return { news, heard };
}

it('tells what is new, once', () => {
  const { news, heard } = start();
  news.tell(['http://a', 'http://b']);
  news.tell(['http://b', 'http://a']);
  expect(heard.lists).toHaveLength(1);
  news.tell(['http://b']);
  expect(heard.urls).toEqual(['http://b']);
});

it('tells of an empty list, also when it is the first', () => {
  const { news, heard } = start();
  news.tell([]);
  news.tell([]);
  expect(heard.lists).toEqual([[]]);
});

it('leaves out what is wrong and says so once', () => {
  const { news, heard } = start();
  news.tell(['http://a', 'nonsense']);
  news.tell(['http://a', 'nonsense']);
  expect(heard.urls).toEqual(['http://a']);
  expect(heard.errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('orders: 1 of 2 left out'),
  ]);
  news.tell(['http://a']);
  news.tell(['http://a', 'nonsense']);
  expect(heard.errors).toHaveLength(2);
});

it('does not take a list of nonsense for an empty one', () => {
  const { news, heard } = start();
  news.tell(['nonsense']);
  expect(heard.lists).toEqual([]);
  expect(heard.errors).toHaveLength(1);
});

it('names the source in errors and keeps their cause', () => {
  const { news, heard } = start();
  const cause = new Error('it is gone');
  news.fail(cause);
  news.fail('a word');
  expect(heard.errors.map(({ message }) => message)).toEqual(['orders: it is gone', 'orders: a word']);
  expect(heard.errors[0]!.cause).toBe(cause);
});

it('tells nothing after the end', () => {
  const { news, heard } = start();
  news.close();
  news.tell(['http://a']);
  news.fail('late');
  expect(heard.lists).toEqual([]);
  expect(heard.errors).toEqual([]);
  expect(() => news.listen(heard)).toThrow('closed');
});

it('has one listener', () => {
  const { news, heard } = start();
  expect(() => news.listen(heard)).toThrow('started');
});

it('survives a listener that throws', () => {
  const news = new BackendNews('orders');
  const errors: Error[] = [];
  news.listen({
    onBackends() {
      throw new Error('a bug');
    },
    onError(error) {
      errors.push(error);
      throw new Error('another');
    },
  });
  news.tell(['http://a']);
  expect(errors.map(({ message }) => message)).toEqual(['orders: a bug']);
});

it('tells of a problem again when everything had failed in between', () => {
  const { news, heard } = start();
  news.tell(['http://a', 'nonsense']);
  news.tell(['http://a', 'nonsense']);
  expect(heard.errors).toHaveLength(1);
  news.fail('it is gone');
  news.tell(['http://a', 'nonsense']);
  expect(heard.errors).toHaveLength(3);
});
