import type { GateState, LoadReport } from '../core/index.js';
import { decodeLoadReport, encodeLoadReport } from './load-report.js';

/** All states of a backend, in the order of their numbers on the wire. */
export const HEALTH_STATES: readonly GateState[] = Object.freeze([
  'starting',
  'ready',
  'lame-duck',
  'closed',
]);

/** What a backend says of itself, by whichever way. */
export interface Health {
  readonly state: GateState;
  readonly report: LoadReport;
}

/** Ours have 200 characters. */
const MOST_CHARACTERS = 8_192;

/** As the health page has it, and each line of the watch stream: `{"state":"ready","load":"TEXT …"}`. */
export function encodeHealthLine({ state, report }: Health): string {
  const load = encodeLoadReport(report);
  return load === '' ? `{"state":"${state}"}` : `{"state":"${state}","load":"${load}"}`;
}

/** What a line says, or undefined when no backend of ours can have written it. */
export function decodeHealthLine(line: string): Health | undefined {
  if (line.length > MOST_CHARACTERS) return undefined;
  const { state, load } = parse(line);
  if (!HEALTH_STATES.includes(state as GateState)) return undefined;
  const report = load === undefined ? {} : typeof load === 'string' ? decodeLoadReport(load) : undefined;
  return report === undefined ? undefined : { state: state as GateState, report };
}

function parse(line: string): { state?: unknown; load?: unknown } {
  try {
    return (JSON.parse(line) as object | null) ?? {};
  } catch {
    return {};
  }
}
