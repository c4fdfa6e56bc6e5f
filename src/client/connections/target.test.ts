import { expect, it } from 'vitest';
import { hostnameOf, targetOf } from './target.js';

it('is what the URL says, and a name only if there is another', () => {
  expect(targetOf(new URL('https://10.0.0.1:8443'), undefined)).toEqual({
    protocol: 'https:',
    host: '10.0.0.1:8443',
    hostname: '10.0.0.1',
    port: '8443',
  });
  expect(targetOf(new URL('https://[::1]:8443'), 'orders.test:443')).toMatchObject({
    hostname: '::1',
    servername: 'orders.test',
  });
});

it('is without port and brackets', () => {
  expect(hostnameOf('orders.test:80')).toBe('orders.test');
  expect(hostnameOf('[::1]:80')).toBe('::1');
});
