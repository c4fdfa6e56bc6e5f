import { beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from './connection.js';
import { IdleConnections } from './idle-connections.js';

class FakeConnection {
  idleMs = 75_000;
  isOursToKeep = true;
  quietSinceMs = 0;
  isAnswering = false;
  isDestroyed = false;
  stalled = 0;
  stalledMs = () => this.stalled;
  readonly socket = {
    destroy: () => {
      this.isDestroyed = true;
    },
  };
}

describe('IdleConnections', () => {
  let connection: FakeConnection;
  let idle: IdleConnections;

  beforeEach(() => {
    connection = new FakeConnection();
    idle = new IdleConnections(new Set([connection as unknown as Connection]), 300_000);
  });

  it('closes what was idle for longer than clients were told, and two seconds', () => {
    idle.look(76_999);
    expect(connection.isDestroyed).toBe(false);
    idle.look(78_000);
    expect(connection.isDestroyed).toBe(true);
  });

  it('counts from the last time that something was being answered', () => {
    connection.isAnswering = true;
    idle.look(100_000);
    connection.isAnswering = false;
    idle.look(176_000);
    expect(connection.isDestroyed).toBe(false);
    idle.look(177_000);
    expect(connection.isDestroyed).toBe(true);
  });

  it('closes what is being answered and does not read, for too long', () => {
    connection.isAnswering = true;
    connection.stalled = 299_999;
    idle.look(1_000_000);
    expect(connection.isDestroyed).toBe(false);
    connection.stalled = 300_000;
    idle.look(1_001_000);
    expect(connection.isDestroyed).toBe(true);
  });

  it('leaves alone what somebody else keeps', () => {
    connection.isOursToKeep = false;
    idle.look(1e9);
    expect(connection.isDestroyed).toBe(false);
  });

  it('looks once a second', () => {
    idle.look(76_500);
    idle.look(77_400);
    expect(connection.isDestroyed).toBe(false);
    idle.look(77_500);
    expect(connection.isDestroyed).toBe(true);
  });
});
