interface Latin1 {
  latin1Slice(): string;
}

/** Byte by byte: what is beyond ASCII passes as it came. Two thirds of what `toString` takes, which looks for a word. */
export function headText(part: string | Buffer): string {
  if (typeof part === 'string') return part;
  return (part as unknown as Latin1).latin1Slice();
}
