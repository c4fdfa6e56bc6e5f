const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process in an orderly way on the first signal, and at once on the second: whoever sends it twice means it.
 * Returns how to stop listening.
 */
export function onSignals(end: () => Promise<void>): () => void {
  let isEnding = false;
  const listener = () => {
    if (isEnding) process.exit(1);
    isEnding = true;
    end().then(
      () => process.exit(0),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    // While it ends the second one must still be heard.
    if (isEnding) return;
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
