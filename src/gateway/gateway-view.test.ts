import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { GatewayView } from './gateway-view.js';

function viewOf(rawHeaders: string[], headers: Record<string, string>): GatewayView {
  const req = { method: 'GET', url: '/', rawHeaders, headers, socket: { remoteAddress: '10.0.0.1' } };
  return new GatewayView(req as unknown as IncomingMessage);
}

describe('GatewayView', () => {
  it('finds the host as it is written', () => {
    expect(viewOf(['X', '1', 'HoSt', 'a.example'], {}).header('host')).toBe('a.example');
    expect(viewOf([], {}).header('host')).toBeUndefined();
    expect(viewOf([], { ':authority': 'b.example' }).header('host')).toBe('b.example');
  });

  it('asks Node for the others', () => {
    const view = viewOf(['Accept', 'text/html'], { accept: 'text/html' });
    expect(view.header('accept')).toBe('text/html');
    expect([view.method, view.url, view.address, view.customer]).toEqual([
      'GET',
      '/',
      '10.0.0.1',
      'anonymous',
    ]);
  });
});
