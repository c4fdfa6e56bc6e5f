/** One request to a service, and its answer back. */
export { forward } from './forward.js';
export type { ForwardTarget } from './forward-target.js';
export { forwardUpgrade } from './forward-upgrade.js';
export { HeaderEdits, type HeaderEditsOptions } from './header-edits.js';
export { PROBLEMS, type Problem, type ProblemName } from './problem.js';
export { type RequestTarget, requestTarget } from './request-target.js';
