import { describe, expect, it } from 'vitest';
import { isGracefulGoAway } from './go-away.js';

describe('a graceful GOAWAY', () => {
  it('is one without an error', () => {
    expect(isGracefulGoAway(new Error('HTTP/2: "GOAWAY" frame received with code 0'))).toBe(true);
  });

  it('is not one with an error, nor any other end', () => {
    for (const message of [
      'HTTP/2: "GOAWAY" frame received with code 11',
      'HTTP/2: "GOAWAY" frame received with code 10',
      'HTTP/2: "GOAWAY" frame received with code 01',
      'other side closed',
      '',
    ])
      expect(isGracefulGoAway(new Error(message))).toBe(false);
    expect(isGracefulGoAway(null)).toBe(false);
    expect(isGracefulGoAway(undefined)).toBe(false);
  });
});
