/** Built-in scenarios that one waits for, as measured on a core of a small cloud machine; all others take less than 3 s. */
export const LONG_SCENARIOS: Readonly<Record<string, string>> = {
  'no-ratchet': 'about 5 s',
  'prequal-ramp': 'about 8 s',
  'prequal-rules': 'about 10 s',
  'quota-outage': 'up to 10 s',
  'quota-fleet': 'about a minute',
};

/** What to expect before one starts a scenario. */
export function waitOf(name: string): string {
  const wait = Object.hasOwn(LONG_SCENARIOS, name) ? LONG_SCENARIOS[name] : 'a few seconds at most';
  return `Takes ${wait}.`;
}
