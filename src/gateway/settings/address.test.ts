import { describe, expect, it } from 'vitest';
import { parseAddress, sharesPort } from './address.js';

describe('an address', () => {
  it.each([
    ['8080', '8080', true],
    ['8080', '127.0.0.1:8080', true],
    ['8080', '[::1]:8080', true],
    ['8080', 'localhost:8080', true],
    ['[::]:8080', '0.0.0.0:8080', true],
    ['0.0.0.0:8080', '127.0.0.1:8080', true],
    ['Localhost:8080', 'localhost:8080', true],
    ['[::1]:8080', '[0:0:0:0:0:0:0:1]:8080', true],
    ['8080', '8081', false],
    ['0', '0', false],
    ['0.0.0.0:8080', '[::1]:8080', false],
    ['127.0.0.1:8080', '[::1]:8080', false],
    ['127.0.0.1:8080', '127.0.0.2:8080', false],
    ['0.0.0.0:8080', 'gateway.internal:8080', false],
  ])('%s takes the port of %s: %s', (one, other, isTaken) => {
    const [a, b] = [parseAddress(one), parseAddress(other)];
    expect([sharesPort(a, b), sharesPort(b, a)]).toEqual([isTaken, isTaken]);
  });
});
