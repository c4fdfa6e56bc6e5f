import { describe, expect, it } from 'vitest';
import { FRAMES, PREFACE } from './frames.js';
import { GrpcConnection } from './grpc-connection.js';
import { body, connected, frame, head, Peer } from './peer.contract.js';

function sweep(connection: GrpcConnection, times: number): void {
  for (let i = 0; i < times; i++) connection.sweep();
}

const ping = () => frame(FRAMES.ping, 0, 0, Buffer.alloc(8));

describe('ConnectionWatch', () => {
  it.each([
    ['a byte', PREFACE.subarray(0, 1)],
    ['no settings', PREFACE],
    ['half of its settings', Buffer.concat([PREFACE, frame(FRAMES.settings, 0, 0).subarray(0, 5)])],
  ])('ends what has said %s in ten seconds', (_, said) => {
    const peer = new Peer();
    const connection = new GrpcConnection(peer, (_path, message) => message);
    peer.say(said);
    sweep(connection, 10);
    expect(peer.destroyed).toBe(false);
    sweep(connection, 1);
    expect(peer.destroyed).toBe(true);
  });

  it('asks who is silent, and ends who does not answer', () => {
    const { peer, connection } = connected();
    sweep(connection, 59);
    expect(peer.types()).toEqual([]);
    sweep(connection, 1);
    expect(peer.types()).toEqual(['ping']);
    peer.say(ping());
    sweep(connection, 80);
    expect(peer.destroyed).toBe(false);
    sweep(connection, 1);
    expect(peer.destroyed).toBe(true);
  });

  it('ends who takes nothing of what is written, also if he goes on sending', () => {
    const { peer, connection } = connected();
    peer._write = () => {};
    peer.say(head(1), body(1));
    for (let i = 0; i < 21; i++) {
      expect(peer.destroyed).toBe(false);
      peer.say(ping());
      sweep(connection, 1);
    }
    sweep(connection, 1);
    expect(peer.destroyed).toBe(true);
  });

  it('does not wait for who was told of a fault', () => {
    const { peer, connection } = connected();
    peer.say(frame(FRAMES.pushPromise, 4, 1));
    sweep(connection, 1);
    expect(peer.destroyed).toBe(false);
    sweep(connection, 1);
    expect(peer.destroyed).toBe(true);
  });
});
