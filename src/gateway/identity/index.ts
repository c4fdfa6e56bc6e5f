/** Who asks, and how critical that is. */
export { CriticalityRule } from './criticality-rule.js';
export { Identity } from './identity.js';
export { ProxyTrust } from './proxy-trust.js';
