/** What the demo knows of a process; what the gateway makes of it is in the snapshot of its client. */
export type ProcessState = 'starting' | 'running' | 'lame-duck' | 'leaving' | 'down';

export interface BackendReading {
  readonly name: string;
  readonly url: string;
  readonly pid: number | undefined;
  readonly speed: number;
  readonly state: ProcessState;
}
