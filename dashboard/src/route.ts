export type Tab = 'overview' | 'simulator';

/** Which page a fragment names: `#/simulator…` and `#simulator…` is the simulator, which reads the rest of it itself. */
export function tabOf(hash: string): Tab {
  return /^#\/?simulator\b/.test(hash) ? 'simulator' : 'overview';
}
