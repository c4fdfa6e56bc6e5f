/** What the editor begins with: something of everything that people change first. */
export const EXAMPLE_FLEET = `# Times are in milliseconds, rates per second, shares from 0 to 1.
# Whatever is left out has a default.
warmupMs: 15000
durationMs: 30000

services:
  web:
    backends:
      - { count: 6 }
      - { count: 4, speed: 1.5 }
    costMs: { normal: { mean: 8, deviation: 3 } }
    calls:
      - { service: search, subset: { size: 4 } }
  search:
    backends: 8
    costMs: { pareto: { least: 3, shape: 2.5 } }
    # \`guard: false\` turns the server guard off.
    guard: { queueTargetMs: 20 }

clients:
  people:
    count: 20
    service: web
    arrivals: 30
    policy: weighted
  crawlers:
    count: 4
    service: web
    arrivals: { perSecond: 40, spikes: [{ atMs: 25000, forMs: 8000, factor: 5 }] }
    criticality: SHEDDABLE
    policy: weighted

faults:
  - { kind: kill, service: web, backends: 1, atMs: 20000, forMs: 3000 }
  - { kind: slow, service: search, backends: [5], atMs: 22000, forMs: 4000, factor: 4 }
recoverWithinMs: 15000
`;
