import { useEffect, useState } from 'preact/hooks';

/** Where the pointer is on any chart, as ms from now: all charts show the same minutes, so each shows the line. */
type PointedMs = number | undefined;

const listeners = new Set<(pointed: PointedMs) => void>();

export function point(pointed: PointedMs): void {
  for (const listener of listeners) listener(pointed);
}

export function usePointed(): PointedMs {
  const [pointed, setPointed] = useState<PointedMs>(undefined);
  useEffect(() => {
    listeners.add(setPointed);
    return () => void listeners.delete(setPointed);
  }, []);
  return pointed;
}
