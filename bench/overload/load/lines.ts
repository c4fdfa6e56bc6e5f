/** A way to a server that has one request under way at most. */
export interface Line<R> {
  /** What it waits for; the meaning of the number is that of whoever sends. */
  readonly arrival: number;
  send(request: R, arrival: number): void;
}

/** Who is told of what happens on lines that it has taken. */
export interface LinesUser<R> {
  /** The line is the user's to release, or to send on. */
  onAnswer(line: Line<R>, status: number): void;
  onLost(arrival: number): void;
}

/** Where lines come from: connections of HTTP/1.1, or streams of HTTP/2. */
export interface Lines<R> {
  take(): Line<R> | undefined;
  release(line: Line<R>): void;
  serve(user: LinesUser<R>): void;
}
