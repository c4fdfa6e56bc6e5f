/** Loaded by itself, when somebody wants to simulate. */
export { Simulator as default } from './simulator.js';
