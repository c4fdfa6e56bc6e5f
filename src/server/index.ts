export { createGuard, Guard, type Handler, type ProtectOptions } from './guard.js';
export { GUARD_DEFAULTS, type GuardOptions } from './guard-options.js';
