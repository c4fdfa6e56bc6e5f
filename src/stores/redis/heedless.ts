/**
 * Tells listeners something on behalf of what must go on whatever they do: an election, reports. One that throws is
 * warned of, and the process lives on.
 */
export function heedless(tell: () => unknown): void {
  try {
    tell();
  } catch (error) {
    const detail = error instanceof Error && error.stack !== undefined ? error.stack : String(error);
    process.emitWarning('a listener has thrown', { detail });
  }
}
