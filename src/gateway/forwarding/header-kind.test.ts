import { describe, expect, it } from 'vitest';
import { HeaderEdits } from './header-edits.js';
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

const EDITS = new HeaderEdits('requestHeaders', { set: { 'x-internal-auth': 'a' }, remove: ['x-admin'] });

describe('isDisguised', () => {
  it.each([
    'x_forwarded_for',
    'Content_Length',
    'X-Forwarded_For',
    'x_plimsoll_customer',
    'X_Request_Criticality',
    'x_envoy_attempt_count',
    'grpc_previous_rpc_attempts',
    'X_Admin',
    'x-internal_auth',
  ])('sees through %s', (name) => expect(isDisguised(name, EDITS)).toBe(true));

  it.each(['api_key', 'x-forwarded-for', 'x_y', 'x-admin'])('has nothing against %s', (name) =>
    expect(isDisguised(name, EDITS)).toBe(false),
  );

  it('knows an operator’s names by the operator alone', () => {
    expect(isDisguised('x_admin', undefined)).toBe(false);
  });
});
