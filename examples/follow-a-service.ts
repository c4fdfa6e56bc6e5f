/** One client's subset of a service that grows, loses a backend and gets it back. Run: node follow-a-service.js */
import { Subset, type SubsetChange } from 'plimsoll/core';

const backends = Array.from({ length: 100 }, (_, index) => `backend-${index}`);
const subset = new Subset({ algorithm: 'rocksteadier', size: 10, clientId: 3 });

function say(what: string, { joined, left }: SubsetChange): void {
  console.log(
    `${what}: open ${joined.length} [${joined.join(' ')}], drop ${left.length} [${left.join(' ')}]`,
  );
}

say('start', subset.update(backends));

const victim = subset.members[0]!;
say(`${victim} does not answer`, subset.setUp(victim, false));
say(`${victim} is back`, subset.setUp(victim, true));

const grown: (string | undefined)[] = [
  ...backends,
  ...Array.from({ length: 10 }, (_, index) => `backend-${100 + index}`),
];
say('ten more backends', subset.update(grown));

// Gone for good: its seat stays vacant, so that nobody else's seat changes.
const gone = subset.members[0]!;
grown[grown.indexOf(gone)] = undefined;
say(`${gone} is gone`, subset.update(grown));
