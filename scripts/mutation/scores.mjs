// The table of docs/mutation.md: a row a folder, written by `npm run mutation`.

const COLUMNS = ['killed', 'timeout', 'survived', 'noCoverage', 'ignored'];
const HEAD =
  '| folder | score | killed | timeout | survived | not covered | not counted |\n|---|--:|--:|--:|--:|--:|--:|';
const TABLE = /(<!-- scores -->\n)[\s\S]*?(<!-- \/scores -->)/;

const KINDS = {
  Killed: 'killed',
  Timeout: 'timeout',
  Survived: 'survived',
  NoCoverage: 'noCoverage',
  Ignored: 'ignored',
  // It does not load, or took the process down: no test has said anything.
  RuntimeError: 'ignored',
};

/** How many mutants ended in which way. */
export function tally(mutants) {
  const counts = { killed: 0, timeout: 0, survived: 0, noCoverage: 0, ignored: 0 };
  for (const { status, id, testsCompleted } of mutants) {
    const kind = KINDS[status];
    if (kind === undefined) throw new Error(`mutant ${id} ended as ${status}`);
    // One that no test was run for has not survived anything.
    if (kind === 'survived' && testsCompleted === 0) throw new Error(`no test was run for mutant ${id}`);
    counts[kind]++;
  }
  return counts;
}

/** Percent of the mutants that a test noticed, be it by never ending. */
export function scoreOf({ killed, timeout, survived, noCoverage }) {
  const noticed = killed + timeout;
  const all = noticed + survived + noCoverage;
  return all === 0 ? 100 : (100 * noticed) / all;
}

/** The page with this folder's row as it is now; the others stay. */
export function withScores(page, name, counts) {
  const rows = new Map();
  for (const [, folder, cells] of page.match(TABLE)[0].matchAll(/^\| `(.*)` \| [^|]* \|(.*)\|$/gm)) {
    const numbers = cells.split('|').map(Number);
    rows.set(folder, Object.fromEntries(COLUMNS.map((column, index) => [column, numbers[index]])));
  }
  rows.set(name, counts);
  const sum = { killed: 0, timeout: 0, survived: 0, noCoverage: 0, ignored: 0 };
  for (const row of rows.values()) for (const column of COLUMNS) sum[column] += row[column];
  const line = (folder, row) =>
    `| ${folder} | ${scoreOf(row).toFixed(1)} % | ${COLUMNS.map((column) => row[column]).join(' | ')} |`;
  const lines = [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([folder, row]) => line(`\`${folder}\``, row));
  return page.replace(TABLE, `$1${[HEAD, ...lines, line('all', sum)].join('\n')}\n$2`);
}
