import { describe, expect, it } from 'vitest';
import { isHost, requestTarget } from './request-target.js';

describe('requestTarget', () => {
  it.each([
    ['/a?b=c', 'h', { path: '/a?b=c', host: 'h' }],
    ['//a', undefined, { path: '//a', host: undefined }],
    ['*', 'h', { path: '*', host: 'h' }],
    ['http://h', 'h', { path: '/', host: 'h' }],
    ['HTTPS://H:8080/a?b', 'h:8080', { path: '/a?b', host: 'H:8080' }],
    ['http://h?b', undefined, { path: '/?b', host: 'h' }],
  ])('reads %s of %s', (url, host, target) => {
    expect(requestTarget(url, host)).toEqual(target);
  });

  it.each([
    ['', 'h'],
    ['a', 'h'],
    ['/a#b', 'h'],
    ['http://h/#b', 'h'],
    ['http:///a', 'h'],
    ['http://i/a', 'h'],
    ['http://u@h/a', 'u@h'],
    ['ftp://h/a', 'h'],
    ['http:/a', 'h'],
  ])('makes nothing of %s of %s', (url, host) => {
    expect(requestTarget(url, host)).toBeUndefined();
  });
});

describe('isHost', () => {
  it.each([
    'h',
    'a.b-c_d',
    'h:80',
    'h:',
    '10.0.0.1:8080',
    '[::1]',
    '[::1]:80',
    'xn--e1afmkfd.test',
    'h.',
    'h:65535',
    '[::ffff:1.2.3.4]:80',
  ])('%s is one', (host) => expect(isHost(host)).toBe(true));

  it.each([
    '',
    'a b',
    'a/b',
    'a@b',
    'a:b',
    'h:123456',
    '[x]',
    'a\tb',
    'a"b',
    '::1',
    'a,b\\',
    'admin.example.com,x.example.com',
    'a;b',
    'a*b',
    'a%2eb',
    "a'b",
    '.a',
    'a..b',
    'a..',
    '.',
    'h:65536',
    '[::1]:99999',
    '[....]',
    '[:]',
    '[::1',
    '[::1]]',
    '[1.2.3.4]',
    'a'.repeat(256),
  ])('%s is none', (host) => expect(isHost(host)).toBe(false));
});
