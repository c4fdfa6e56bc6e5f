import { describe, expect, it } from 'vitest';
import { upgradeProtocol } from './upgrade-protocol.js';

describe('upgradeProtocol', () => {
  it.each(['websocket', 'WebSocket', 'talk/1.0', 'h2cx', 'http-over-x'])('lets %s pass', (protocol) => {
    expect(upgradeProtocol(['a', 'b', 'Upgrade', protocol])).toBe(protocol);
  });

  it.each(['h2c', 'H2', 'h3', 'HTTP/2.0', 'http', 'https', 'TLS/1.2', 'websocket, h2c', '', 'a b', 'a/b/c'])(
    'does not let "%s" pass',
    (protocol) => expect(upgradeProtocol(['upgrade', protocol])).toBeUndefined(),
  );

  it('is none when there are two, or none', () => {
    expect(upgradeProtocol(['upgrade', 'a', 'Upgrade', 'a'])).toBeUndefined();
    expect(upgradeProtocol(['x', 'y'])).toBeUndefined();
  });
});
