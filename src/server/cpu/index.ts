/** CPU time of each request, and totals of it. */
export type { AccountTotals } from './accounts.js';
export type { CpuSplit, LedgerTotals } from './cpu-ledger.js';
export { CpuMeter, type CpuTotals } from './cpu-meter.js';
export { CPU_DEFAULTS, type CpuMode, type CpuOptions } from './cpu-options.js';
export type { Metered, RequestCpu } from './metered.js';
