import { describe, expect, it } from 'vitest';
import { headerKind, isDisguised } from './header-kind.js';

describe('headerKind', () => {
  it.each([
    ['te', 'te'],
    ['VIA', 'via'],
    ['Host', 'host'],
    ['Proxy', 'drop'],
    ['Expect', 'expect'],
    ['Upgrade', 'drop'],
    ['Trailer', 'drop'],
    ['Proxy-X', 'drop'],
    ['Forwarded', 'drop'],
    ['X-Real-IP', 'drop'],
    ['Connection', 'connection'],
    ['Keep-Alive', 'drop'],
    ['Content-Length', 'content-length'],
    ['GRPC-Timeout', 'drop'],
    ['GRPC-Previous-RPC-Attempts', 'drop'],
    ['HTTP2-Settings', 'drop'],
    ['Transfer-Encoding', 'transfer-encoding'],
    ['Proxy-Authorization', 'drop'],
    ['X-Forwarded-For', 'drop'],
    ['x-forwarded-anything-else', 'drop'],
  ])('knows %s', (name, kind) => {
    expect(headerKind(name)).toBe(kind);
    expect(headerKind(name.toLowerCase())).toBe(kind);
    expect(headerKind(name.toUpperCase())).toBe(kind);
  });

  it.each([
    'to',
    'age',
    'from',
    'range',
    'cookie',
    'referer',
    'accept-x',
    'x-forwarded',
    'xxforwarded-for',
    'proxies-x',
    'user-agent',
    'x-forwardedfor',
    'accept-encoding',
    'authorization',
    'content-lengths',
    'x-request-criticality',
  ])('lets %s pass', (name) => expect(headerKind(name)).toBe('keep'));
});

describe('isDisguised', () => {
  it.each([
    'x_forwarded_for',
    'Content_Length',
    'X-Forwarded_For',
    'x_plimsoll_customer',
    'X_Request_Criticality',
    'x_envoy_attempt_count',
    'grpc_previous_rpc_attempts',
  ])('sees through %s', (name) => expect(isDisguised(name)).toBe(true));

  it.each(['api_key', 'x-forwarded-for', 'x_y'])('has nothing against %s', (name) =>
    expect(isDisguised(name)).toBe(false),
  );
});
