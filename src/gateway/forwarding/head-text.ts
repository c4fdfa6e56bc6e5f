/** Headers as undici gives them: names and values in turn; HTTP/2 gives those that come more than once as lists. */
export type RawHeaders = readonly (Buffer | readonly Buffer[])[];

interface Latin1 {
  latin1Slice(): string;
}

/** Byte by byte: what is beyond ASCII passes as it came. Two thirds of what `toString` takes, which looks for a word. */
export function headText(part: Buffer): string {
  return (part as unknown as Latin1).latin1Slice();
}
