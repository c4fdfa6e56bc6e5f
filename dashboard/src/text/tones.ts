/** The colour of a utilization: full is no fault, above full is. */
export function toneOf(utilization: number | undefined): 'plain' | 'good' | 'warn' | 'bad' {
  if (utilization === undefined) return 'plain';
  if (utilization < 0.8) return 'good';
  return utilization <= 1 ? 'warn' : 'bad';
}

const STATE_TONES: Readonly<Record<string, string>> = {
  ready: 'good',
  connecting: 'plain',
  starting: 'plain',
  'lame-duck': 'warn',
  draining: 'warn',
  unhealthy: 'warn',
  refusing: 'warn',
  slow: 'warn',
  ejected: 'bad',
  gone: 'bad',
  down: 'bad',
  killed: 'bad',
};

export function stateTone(state: string): string {
  return STATE_TONES[state] ?? 'plain';
}

export function stateName(state: string): string {
  return state.replaceAll('-', ' ');
}
