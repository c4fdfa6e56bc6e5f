// `npm run changelog`: a draft of the changelog's next section, from the commits since the last tag, on the standard output.
//   npm run -s changelog -- --version 0.2.0    with that version, and today's date, as heading
//   npm run -s changelog -- --since v0.1.0     since another commit
//   npm run -s changelog -- --all              with the concepts that users of the package do not see
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** Commits about these change nothing for whoever uses the package. */
const UNSEEN = new Set(
  'bench build changelog ci comments docs e2e examples fuzz ground scripts test tests tidy'.split(' '),
);

/** What separates commits, and the parts of one: neither can stand in a message. */
const RECORD = '\x1e';
const FIELD = '\x1f';

const { values } = parseArgs({
  options: {
    version: { type: 'string' },
    since: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});

const git = (...args) =>
  execFileSync('git', args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

/** The last tag of a version that leads to this commit; undefined before the first. */
function lastTag() {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  } catch {
    return undefined;
  }
}

/** Commits since then, the oldest first. Merges say nothing that their commits do not. */
function commitsSince(since) {
  const range = since === undefined ? ['HEAD'] : [`${since}..HEAD`];
  const log = git('log', '--no-merges', '--reverse', `--format=${RECORD}%h${FIELD}%s${FIELD}%b`, ...range);
  return log
    .split(RECORD)
    .slice(1)
    .map((record) => commitOf(...record.split(FIELD)));
}

/** `concept: what`, or `concept, another: what`; a subject without a concept is nobody's in particular. */
function commitOf(id, subject, body) {
  const [, concept, what] = /^([\w][\w ,/-]*): (.+)$/.exec(subject) ?? [undefined, 'other', subject];
  const breaking = /^Breaking: ?(.+(?:\n.+)*)/m.exec(body)?.[1].replaceAll('\n', ' ');
  return { id, concept, what, breaking };
}

const isUnseen = ({ concept, breaking }) =>
  breaking === undefined && concept.split(/, ?/).every((each) => UNSEEN.has(each.split(' ')[0]));

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function draft(commits, heading) {
  const lines = [`## ${heading}`, ''];
  const breaking = commits.filter((commit) => commit.breaking !== undefined);
  if (breaking.length > 0) {
    lines.push(
      '### Breaking',
      ...breaking.map((each) => `- ${each.concept}: ${each.breaking} (${each.id})`),
      '',
    );
  }
  for (const [concept, group] of groupBy(commits, (commit) => commit.concept)) {
    lines.push(`### ${concept}`, ...group.map(({ what, id }) => `- ${what} (${id})`), '');
  }
  return lines.join('\n');
}

const since = values.since ?? lastTag();
const all = commitsSince(since);
const shown = values.all ? all : all.filter((commit) => !isUnseen(commit));
const heading =
  values.version === undefined
    ? 'Unreleased'
    : `${values.version} – ${new Date().toISOString().slice(0, 10)}`;
console.log(draft(shown, heading));

const leftOut = groupBy(
  all.filter((commit) => !shown.includes(commit)),
  (commit) => commit.concept,
).map(([concept, group]) => `${group.length} ${concept}`);
console.error(`${shown.length} of ${all.length} commits since ${since ?? 'the beginning'}.`);
if (leftOut.length > 0)
  console.error(`Left out, since users do not see it: ${leftOut.join(', ')} (--all shows them).`);
console.error('A draft: sort it into Added, Changed and Fixed, in words for whoever upgrades.');
