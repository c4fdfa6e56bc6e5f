import { formatNumber, groupThousands, percentFormat } from '../../src/simulations/report/numbers.js';
import { BENCH_NAMES, type BenchName } from '../catalogue.js';
import { type BenchResult, isShortened } from '../record/result.js';
import type { Check, Report } from '../report.js';
import type { BenchFigure } from './figures.js';
import { headlinesOf } from './headlines.js';
import { escapeText, markdownTable } from './markdown.js';
import { floodsSideBySide } from './side-by-side.js';
import { viewOf } from './views.js';

export interface PageInput {
  readonly results: readonly BenchResult[];
  /** Of each bench: a heading, and how it measures. */
  readonly methods: Readonly<Record<BenchName, string>>;
  readonly figures: readonly BenchFigure[];
  /** Where the files of figures are, seen from the page. */
  readonly images: string;
}

/** The same text for the same results. */
export function benchPage(input: PageInput): string {
  const { results } = input;
  const parts = [
    INTRODUCTION,
    ...(results.some(isShortened)
      ? ['**Of shortened runs: good for looking at the page, not at figures.**']
      : []),
    inShort(results),
    whatDoesNotHold(results),
    whatItRanOn(results),
    ...BENCH_NAMES.map((name) => sectionOf(input, name)),
  ];
  return `${parts.join('\n\n')}\n`;
}

const INTRODUCTION = `# Benchmarks

<!-- Written by \`npm run bench -- --page\` from bench/results. Changes are lost. -->

\`npm run bench\` measures all of this on your machine, for about an hour, and writes this page from what it finds; \`npm run bench -- overload\` measures one part. Figures of one machine say
little of another, and less the older they are: what others do is measured in the same run, on the same machine, by the same load, and **the ratios are what counts**. All load comes from the same
machine (127.0.0.1), so no network is in any latency. What is checked has a bound that is in the code, and stands here whether it holds or not.

The results are in \`bench/results\` as JSON, the programs in \`bench\`. What we compare with is set up as its own documentation says; where that is not how you would do it,
tell us.`;

function inShort(results: readonly BenchResult[]): string {
  const lines = headlinesOf(results);
  return `## In short\n\n${lines.length === 0 ? 'Not measured yet.' : lines.map((line) => `- ${line}`).join('\n')}`;
}

/** First, for whoever looks for it. */
function whatDoesNotHold(results: readonly BenchResult[]): string {
  const checks = results.flatMap(({ bench, reports }) =>
    reports.flatMap((report) => report.checks.map((check) => ({ bench, report, check }))),
  );
  const broken = checks.filter(({ check }) => !check.holds);
  const begin = `## Checks\n\n${checks.length - broken.length} of ${checks.length} hold.`;
  if (broken.length === 0) return begin;
  const lines = broken.map(({ bench, report, check }) =>
    `- **✗** [${bench}](#${bench}), ${escapeText(titleOf(report))}: ${escapeText(check.name)}: **${showValue(check)}**, has to be ${showBound(check.bound)}. ${check.why ?? ''}`.trim(),
  );
  return `${begin} These do not:\n\n${lines.join('\n')}`;
}

/** Beyond these somebody else was there: in the moment before, or the host. */
const CALM = { busyBefore: 0.1, stolenShare: 0.01 };

function whatItRanOn(results: readonly BenchResult[]): string {
  const machines = [...new Set(results.map(machineText))];
  const rows = results.map((result) => ({
    bench: result.bench,
    revision: result.revision,
    started: result.started.slice(0, 16).replace('T', ' '),
    'took s': result.seconds,
    'load before': result.disturbance.loadBefore,
    'in use before': showShare(result.disturbance.busyBefore),
    'stolen by the host': showShare(result.disturbance.stolenShare),
    'calm?': calmText(result),
    ...(machines.length > 1 ? { machine: machines.indexOf(machineText(result)) + 1 } : {}),
  }));
  const list = machines.map((text, at) => (machines.length > 1 ? `${at + 1}. ${text}` : `- ${text}`));
  return [
    '## Machine and versions',
    list.join('\n'),
    `Versions: ${versionsText(results)}.`,
    ...(rows.length > 0 ? [markdownTable(rows, Object.keys(rows[0]!))] : []),
    `Times are UTC. The load before a bench is that of the one before it, when all were run at once; what was in use is what others used of all cores in the two seconds before, and more than ${formatNumber(CALM.busyBefore * 100)} % of that, or ${formatNumber(CALM.stolenShare * 100)} % stolen, is not calm: there absolute figures are lower than they should be, and ratios are less certain. A plus at a revision: with changes that are not in it.`,
  ].join('\n\n');
}

/** More than one of the same, where results are of different days. */
function versionsText(results: readonly BenchResult[]): string {
  const all = results.flatMap(({ versions }) => Object.entries(versions));
  return [...new Set(all.map(([name]) => name))]
    .map(
      (name) =>
        `${name} ${[...new Set(all.filter(([other]) => other === name).map(([, version]) => version))].join(' and ')}`,
    )
    .join(', ');
}

function machineText({ machine: { cpu, cores, memoryGb, kernel, os } }: BenchResult): string {
  return `${cores} cores of ${cpu}, ${memoryGb} GB, ${os}, ${kernel}`;
}

function calmText({ disturbance: { busyBefore, stolenShare } }: BenchResult): string {
  if (busyBefore === undefined && stolenShare === undefined) return 'not known';
  const isCalm = (busyBefore ?? 0) <= CALM.busyBefore && (stolenShare ?? 0) <= CALM.stolenShare;
  return isCalm ? 'yes' : '**no**';
}

function showShare(share: number | undefined): string {
  return share === undefined ? 'not known' : percentFormat([share])(share);
}

function sectionOf({ results, methods, figures, images }: PageInput, name: BenchName): string {
  const [heading = '', ...method] = methods[name].trim().split('\n');
  const result = results.find(({ bench }) => bench === name);
  const begin = [`<a id="${name}"></a>\n\n## ${heading.replace(/^# /, '')}`, method.join('\n').trim()];
  const command = `\`npm run bench -- ${name}\``;
  if (result === undefined) return [...begin, `Not measured yet: ${command}.`].join('\n\n');
  if (result.failure !== undefined)
    return [...begin, `**Could not run** at ${result.revision}: ${escapeText(result.failure)}`].join('\n\n');
  const shortened = isShortened(result) ? `, shortened (${JSON.stringify(result.flags)})` : '';
  const sideBySide = name === 'overload' ? floodsSideBySide(results) : [];
  return [
    ...begin,
    `${command}, at ${result.revision}${shortened}:`,
    ...figures.filter(({ bench }) => bench === name).map((figure) => pictureOf(figure, images)),
    ...[...sideBySide, ...result.reports].map(reportText),
  ].join('\n\n');
}

function pictureOf({ name, figure: { title, caption } }: BenchFigure, images: string): string {
  const file = (theme: string) => `${images}/bench-${name}-${theme}.svg`;
  const alt = `${title}. ${caption}`.replaceAll('"', '&quot;');
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="${file('dark')}">`,
    `  <img alt="${alt}" src="${file('light')}">`,
    '</picture>',
  ].join('\n');
}

function reportText(report: Report): string {
  const { columns, rows } = viewOf(report);
  const parts = [`### ${escapeText(titleOf(report))}`];
  if (rows.length > 0) parts.push(markdownTable(rows, columns));
  if (report.checks.length > 0) parts.push(checksTable(report.checks));
  return parts.join('\n\n');
}

/** Without the bench, under whose heading it stands. */
function titleOf({ bench }: Report): string {
  const title = bench.slice(bench.indexOf(':') + 1).trim();
  return title.slice(0, 1).toUpperCase() + title.slice(1);
}

function checksTable(checks: readonly Check[]): string {
  const lines = checks.map((check) => {
    const why = !check.holds && check.why !== undefined ? `<br>${escapeText(check.why)}` : '';
    const holds = check.holds ? '✓ holds' : '**✗ does not hold**';
    return `| ${escapeText(check.name)}${why} | ${showValue(check)} | ${showBound(check.bound)} | ${holds} |`;
  });
  return ['| check | value | has to be | |', '|---|--:|--:|---|', ...lines].join('\n');
}

function showValue({ value }: Check): string {
  return formatNumber(value);
}

/** `>= 15000000` as people write it. */
export function showBound(bound: string): string {
  return bound
    .replace('>=', '≥')
    .replace('<=', '≤')
    .replaceAll(/\d{5,}/g, (digits) => groupThousands(digits));
}
