import type { ListeningAt } from '../listeners.js';
import type { SentSettings } from './reload-all.js';
import type { WorkerPlace } from './worker-settings.js';

/** What a worker is told when it begins. */
export interface StartMessage extends SentSettings {
  /** What names of files in settings are relative to. */
  readonly directory: string;
  readonly place: WorkerPlace;
  /** All workers are: so is whoever comes later. */
  readonly isLameDuck: boolean;
}

/** A worker serves. */
export interface ReadyMessage {
  readonly listening: readonly ListeningAt[];
}

/** A worker cannot start. */
export interface FailedMessage {
  readonly message: string;
  readonly isExpected: boolean;
}

/** What the admin port asks of each worker, by the names that a target has for it. */
export const ADMIN_QUESTIONS = ['snapshot', 'metrics', 'limit', 'resetLimit', 'queue', 'lameDuck'] as const;
export type AdminQuestion = (typeof ADMIN_QUESTIONS)[number];

export interface AdminMessage {
  readonly question: AdminQuestion;
  readonly args: readonly string[];
}
