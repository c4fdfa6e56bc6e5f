import type { GatewayEvent } from '../gateway-events.js';
import type { LogLevel } from './lines.js';
import { loggedMessage } from './plain-text.js';

export interface EventLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: object;
}

/** States of backends that somebody should know of. */
const BAD_STATES: ReadonlySet<string> = new Set(['ejected', 'refusing', 'unhealthy', 'failed', 'gone']);

/** Nothing is heard of the fleet. */
const BAD_STAGES: ReadonlySet<string> = new Set(['holding', 'safe']);

function backendLevel(state: string): LogLevel {
  if (BAD_STATES.has(state)) return 'warn';
  // On the way to something else, as all are at first.
  return state === 'connecting' ? 'debug' : 'info';
}

/** How bad it is, and a few words for it. */
export function lineOf(event: GatewayEvent): EventLine {
  const { kind, ...fields } = event;
  switch (event.kind) {
    case 'lame-duck':
      return { level: 'info', message: 'lame duck', fields };
    case 'drain':
      return { level: 'info', message: 'draining', fields };
    case 'reload':
      return { level: 'info', message: 'settings reloaded', fields };
    case 'reload-failed':
      return {
        level: 'error',
        message: 'settings refused, what held before holds on',
        fields: { reason: loggedMessage(event.reason) },
      };
    case 'backend':
      return { level: backendLevel(event.state), message: `backend ${event.state}`, fields };
    case 'resolver': {
      const { service, reason, known } = event;
      if (reason === undefined)
        return { level: 'info', message: 'backends are found again', fields: { service, known } };
      // Those that were found before hold on; without any, each request fails.
      return {
        level: known > 0 ? 'warn' : 'error',
        message: known > 0 ? 'backends cannot be looked up, those known hold on' : 'backends cannot be found',
        fields: { service, reason: loggedMessage(reason), known },
      };
    }
    case 'limit-store':
      return event.isReachable
        ? { level: 'info', message: 'limits count in their store again', fields: {} }
        : { level: 'error', message: 'the store of limits does not answer', fields: {} };
    case 'quota-coordinator':
      return {
        level: 'info',
        message: event.isCoordinator ? 'coordinates quotas' : 'coordinates quotas no longer',
        fields: {},
      };
    case 'quota-stage':
      return {
        level: BAD_STAGES.has(event.stage) ? 'warn' : 'info',
        message: `quotas are ${event.stage}`,
        fields,
      };
    case 'worker-died':
      return { level: 'error', message: 'worker died', fields };
    case 'worker-started':
      // Each line has the `pid` of whoever writes it.
      return {
        level: 'info',
        message: 'worker started',
        fields: { worker: event.worker, workerPid: event.pid },
      };
    default:
      return { level: 'info', message: kind, fields };
  }
}
