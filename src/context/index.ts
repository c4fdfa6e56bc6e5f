/** Which request is being served: set by servers, read by clients and by anybody's code. */

export { CONTEXT_DEMAND_DEFAULTS, type ContextDemandOptions } from './context-demand.js';
export {
  currentRequest,
  enterRequest,
  holdPropagation,
  needContext,
  peekRequest,
  propagate,
  releasePropagation,
  runInRequest,
  withCriticality,
} from './current-request.js';
export { hasCheapContext, type PropagationMode } from './propagation.js';
export { type RequestContext, requestOf } from './request-context.js';
