import type { GateState, LoadReport } from '../../core/index.js';

/** Whoever knows how a backend is: what health checks answer with, and what they tell of changes. */
export interface HealthSource {
  state(): GateState;
  loadReport(): LoadReport;
  /** Calls `listener` after each change of state, until the function that it returns is called. */
  onStateChange(listener: (state: GateState) => void): () => void;
}
