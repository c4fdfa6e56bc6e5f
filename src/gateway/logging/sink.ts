/** Where lines end up. One write at a time. */
export interface Sink {
  /** A piece that is whole for others who write to the same place. */
  readonly mostBytes: number;
  /** Nobody will ever read from it again. */
  readonly isGone: boolean;
  /** Calls back once, not before it returns: how much was written, or why nothing was. */
  write(piece: Buffer, done: (error: Error | undefined, bytes: number) => void): void;
  /** The process ends now: as much as goes without waiting. */
  writeNow(piece: Buffer): void;
  /** Another file may have its name by now. */
  reopen(): void;
  close(): void;
}
