import { OutlierRecord } from './outlier-record.js';

/**
 * What the connection to a backend, and the backend itself, say (SRE ch. 20, "Lame Duck State"). Facts, not opinions.
 */
export type ConnectionState =
  /** Not known yet, or still initialising: it may be connected to, it takes no requests. */
  | 'connecting'
  /** Connected and taking requests. */
  | 'ready'
  /** Listening and able to serve, but asks to be sent nothing more. */
  | 'lame-duck'
  /** Connected, but its page of health says that it is not well, or says nothing. */
  | 'unhealthy'
  /** Does not answer: starting, gone, or no longer listening. */
  | 'refusing';

export const CONNECTION_STATES: readonly ConnectionState[] = [
  'connecting',
  'ready',
  'lame-duck',
  'unhealthy',
  'refusing',
];

/** The same with this client's own opinion added: a ready backend may be ejected as an outlier. */
export type BackendState = ConnectionState | 'ejected';

/**
 * One backend as this client sees it. Pickers hold on to it as a handle; the Roster that made it is the only one to
 * change it. It outlives its membership: requests that are under way when it leaves are still counted down here.
 */
export class Backend {
  readonly key: string;
  /** Grows with each backend that joins: an order that survives others coming and going. */
  ordinal = 0;
  connection: ConnectionState = 'connecting';
  /** Since when it has been ready without a break: what slow start and blackout periods count from. */
  readySinceMs = Number.NEGATIVE_INFINITY;
  /** Requests sent and not yet done; long streams count for as long as they last. */
  active = 0;
  /** Requests ever sent: the turn of the last one. */
  sent = 0;
  /** Where it stands in the roster's current snapshot; −1 when it is not usable. */
  position = -1;
  outlier = new OutlierRecord();

  constructor(key: string) {
    this.key = key;
  }

  get state(): BackendState {
    return this.connection === 'ready' && this.outlier.isEjected ? 'ejected' : this.connection;
  }
}
