export { Gate } from './gate.js';
export { GATE_QUEUE_DEFAULTS, type GateParts, type GateState } from './gate-parts.js';
export type { Refusal, RefusalAnswer, RefusalReason } from './refusal.js';
export { type GateRequest, Ticket } from './ticket.js';
