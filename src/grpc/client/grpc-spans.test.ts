import { describe, expect, it } from 'vitest';
import { peerAttributes } from './grpc-spans.js';

describe('peerAttributes', () => {
  it.each([
    ['127.0.0.1:5000', '127.0.0.1', 5000],
    ['[::1]:443', '::1', 443],
    ['[fe80::1%eth0]:443', 'fe80::1%eth0', 443],
  ])('%s is a peer', (peer, address, port) => {
    expect(peerAttributes(peer)).toEqual({ 'network.peer.address': address, 'network.peer.port': port });
  });

  it.each([
    'unknown',
    '',
    'dns:orders.test:443',
    'ipv4:127.0.0.1:5000',
    'ipv4:127.0.0.1:5000,127.0.0.1:5001',
    'unix:/run/orders',
    '127.0.0.1',
  ])('%s is none', (peer) => {
    expect(peerAttributes(peer)).toEqual({});
  });
});
