import { describe, expect, it, vi } from 'vitest';
import { GatewayEvents } from './gateway-events.js';

describe('GatewayEvents', () => {
  it('tells all who listen, and nobody who has stopped', () => {
    const events = new GatewayEvents();
    const listener = vi.fn();
    const stop = events.on(listener);
    events.on(listener);
    events.emit({ kind: 'lame-duck' });
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    stop();
    events.emit({ kind: 'reload' });
    expect(listener.mock.calls.map(([event]) => event.kind)).toEqual(['lame-duck', 'lame-duck', 'reload']);
  });

  it('knows whether somebody listens', () => {
    const events = new GatewayEvents();
    expect(events.hasListeners).toBe(false);
    const stop = events.on(() => {});
    expect(events.hasListeners).toBe(true);
    stop();
    expect(events.hasListeners).toBe(false);
  });

  it('goes on when a listener throws', () => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const events = new GatewayEvents();
    const listener = vi.fn();
    events.on(() => {
      throw new Error('no');
    });
    events.on(listener);
    events.emit({ kind: 'drain' });
    expect(listener).toHaveBeenCalledOnce();
    expect(warning).toHaveBeenCalledOnce();
    warning.mockRestore();
  });
});
