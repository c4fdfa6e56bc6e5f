/** Load as a multiple of what the fleet can serve. */
export const LOAD_RANGE = Object.freeze({
  min: 0.5,
  max: 10,
  step: 0.1,
  // Busy and well: what changes from here on is what somebody has changed.
  initial: 0.8,
});
