export { Call, type CallRequest, type CallStep, type CallVerdict } from './call.js';
export { CALLER_DEFAULTS, Caller, type CallerOptions, type CallerParts } from './caller.js';
