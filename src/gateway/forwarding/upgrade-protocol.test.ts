import { describe, expect, it } from 'vitest';
import { upgradeProtocol } from './upgrade-protocol.js';

const ask = (...rawHeaders: string[]) => upgradeProtocol({ rawHeaders, httpVersionMinor: 1 });

describe('upgradeProtocol', () => {
  it.each(['websocket', 'WebSocket', 'talk/1.0', 'h2cx', 'http-over-x'])('lets %s pass', (protocol) => {
    expect(ask('a', 'b', 'Upgrade', protocol)).toBe(protocol);
  });

  it.each(['h2c', 'H2', 'h3', 'HTTP/2.0', 'http', 'https', 'TLS/1.2', 'websocket, h2c', '', 'a b', 'a/b/c'])(
    'does not let "%s" pass',
    (protocol) => expect(ask('upgrade', protocol)).toBeUndefined(),
  );

  it('is none when there are two, or none', () => {
    expect(ask('upgrade', 'a', 'Upgrade', 'a')).toBeUndefined();
    expect(ask('x', 'y')).toBeUndefined();
  });

  it('is none in HTTP/1.0', () => {
    expect(upgradeProtocol({ rawHeaders: ['upgrade', 'websocket'], httpVersionMinor: 0 })).toBeUndefined();
  });
});
