import type { Gate } from '../core/index.js';
import type { CpuMeter } from './cpu/index.js';
import type { GuardedRequest } from './guarded-request.js';
import type { RequestReader } from './intake/request-reader.js';
import type { PeerAddress } from './intake/trust.js';
import type { LateCharges } from './late-charges.js';
import type { WaitingRoom } from './lifecycle/waiting-room.js';
import type { Tally } from './observe/tally.js';
import type { Answers } from './refusing/answers.js';
import type { RefusedCopies } from './stale/refused-copies.js';
import type { StaleCopies } from './stale/stale-copies.js';

/** What a request meets on its way through the guard. */
export interface DoorParts {
  readonly gate: Gate<GuardedRequest>;
  readonly reader: RequestReader;
  readonly answers: Answers;
  readonly meter: CpuMeter;
  /** What a request has used of its customer's quota. */
  readonly quotaCost: (request: GuardedRequest, cpuMs: number) => number;
  /** What it uses after its end. */
  readonly late: LateCharges | undefined;
  readonly tally: Tally;
  readonly room: WaitingRoom;
  readonly isTrusted: (peer: PeerAddress) => boolean;
  readonly now: () => number;
  readonly onTurn: (now: number) => void;
  readonly maxBodyBytes: number;
  readonly stale: StaleCopies | undefined;
  /** For what is refused. */
  readonly copies: RefusedCopies;
  readonly isHealthPath: (url: string) => boolean;
}
