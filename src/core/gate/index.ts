export { GATE_QUEUE_DEFAULTS, Gate, type GateParts, type GateState } from './gate.js';
export type { Refusal, RefusalAnswer, RefusalReason } from './refusal.js';
export { type GateRequest, Ticket } from './ticket.js';
