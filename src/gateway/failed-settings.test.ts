import { expect, it } from 'vitest';
import { FailedSettings } from './failed-settings.js';
import { type GatewayEvent, GatewayEvents } from './gateway-events.js';

it('tells of each failure once, and not what stood there', () => {
  const events = new GatewayEvents();
  const told: GatewayEvent[] = [];
  events.on((event) => told.push(event));
  const failed = new FailedSettings(events);
  const first = new Error('g.yaml:3:4: redis: must be a URL, got "redis://u:secret@host"');
  failed.note(first);
  failed.note(new Error('the same', { cause: first }));
  failed.note('no error');
  expect(told).toEqual([
    { kind: 'reload-failed', reason: 'g.yaml:3:4: redis: must be a URL' },
    { kind: 'reload-failed', reason: 'no error' },
  ]);
  expect(failed.count).toBe(2);
});
