import { describe, expect, it } from 'vitest';
import { forwardedElement, plainAddress } from './forwarded.js';

describe('Forwarded', () => {
  it.each([
    ['1.2.3.4', 'h:80', 'for=1.2.3.4;host="h:80";proto=http'],
    ['::1', undefined, 'for="[::1]";proto=http'],
    ['', 'h', 'for=unknown;host="h";proto=http'],
  ])('of %s asking %s', (address, host, element) => {
    expect(forwardedElement(address, host, 'http')).toBe(element);
  });

  it('calls an address by its plain name', () => {
    expect(plainAddress('::ffff:1.2.3.4')).toBe('1.2.3.4');
    expect(plainAddress('::ffff:102:304')).toBe('::ffff:102:304');
    expect(plainAddress('10.0.0.1')).toBe('10.0.0.1');
  });
});
