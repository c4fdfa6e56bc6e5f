// `npm run docs`: the pages of docs/ and the reference of every subpath, made from its types, as one site that needs no server:
// artefacts/docs/index.html. What would be a warning is an error: a link to nowhere, an export without a word about it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { artefactsOf } from './lib/artefacts.mjs';
import { ensureInstalled, root } from './lib/project.mjs';
import { brokenLinks } from './lib/site-links.mjs';

ensureInstalled();
const { Application, Comment, Converter, ReflectionKind } = await import('typedoc');

const site = artefactsOf('docs');
const read = (path) => readFileSync(join(root, path), 'utf8');

/** `src/core/index.ts` → `core`. What several export is described in the first of them, and core is its home. */
const MODULES = new Map(
  Object.entries(JSON.parse(read('package.json')).exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, { default: file }]) => [
      file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
      subpath.slice(2),
    ])
    .sort(([a], [b]) => Number(b.startsWith('src/core/')) - Number(a.startsWith('src/core/'))),
);

/**
 * Parts of public classes that are there for other parts of the package. Their names may change; whoever needs one should say
 * so. One that is exported, or is not met any more, is an error here.
 */
const INTERNAL = [
  // Of policies, limits and quotas: what they keep in between.
  ...[
    'QueuedEntry',
    'ProbedEntry',
    'WeightedEntry',
    'ALGORITHMS',
    'JobLane',
    'Holding',
    'ThrottleWindow',
    'Tally',
  ],
  ...['RecentUse', 'ReportSheet', 'Savings', 'LimitLadder'],
  // Of stores and middleware: described so that types need neither ioredis nor a framework.
  ...['LeaseStore', 'LeaseRequest', 'RedisLink', 'MetricSource', 'MaybePromise', 'Reply', 'Context'],
  // Of a guard and a gateway: what is plugged together inside.
  ...[
    'Counts',
    'Guest',
    'Host',
    'StandIn',
    'GatewayEvents',
    'WorkerPool',
    'RequestLog',
    'Generation',
    'SharedState',
  ],
  ...['Listener', 'RedisSettings', 'NamedRoute', 'Address', 'Logged', 'KeyOwner', 'AnyCall', 'Callback'],
  // Of a simulated fleet: what it is made of while it runs.
  ...['World', 'SimulatedClient', 'Faults', 'ClientGroup', 'Network', 'SimulatedService', 'Streams'],
];

/** Pages, examples and the like by the heading under which docs/README.md links to them, in its order. */
function sectionsOf(index) {
  const sections = new Map([[index, 'Begin here']]);
  for (const [heading, ...rest] of read(index)
    .split(/^## /m)
    .slice(1)
    .map((part) => part.split('\n'))) {
    for (const [, target] of rest.join('\n').matchAll(/\]\(([^)#\s]+)/g)) {
      const path = relative(root, resolve(root, dirname(index), target)).replaceAll('\\', '/');
      if (!sections.has(path)) sections.set(path, heading);
    }
  }
  const decisions = readdirSync(join(root, 'docs/decisions')).sort();
  for (const name of decisions) {
    if (!sections.has(`docs/decisions/${name}`)) sections.set(`docs/decisions/${name}`, 'Decisions');
  }
  return sections;
}

const SECTIONS = sectionsOf('docs/README.md');

/** What is no page becomes one: a browser would offer a file of TypeScript as a film to be saved. */
function pageOf(path) {
  if (path.endsWith('.md')) return join(root, path);
  const page = join(root, '.build/docs-pages', `${path}.md`);
  const language = extname(path).slice(1);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, `# ${basename(path)}\n\n\`\`\`\`${language}\n${read(path)}\`\`\`\`\n`);
  return page;
}

const PAGES = new Map(Array.from(SECTIONS.keys(), (path) => [pageOf(path).replaceAll('\\', '/'), path]));

const app = await Application.bootstrap({
  name: 'Plimsoll',
  entryPoints: Array.from(MODULES.keys(), (file) => join(root, file)),
  tsconfig: join(root, 'tsconfig.build.json'),
  // Types have a step of their own.
  skipErrorChecking: true,
  readme: join(root, 'README.md'),
  projectDocuments: [...PAGES.keys()],
  out: site.path,
  includeVersion: true,
  disableSources: true,
  excludePrivate: true,
  excludeExternals: true,
  categorizeByGroup: false,
  defaultCategory: 'Reference',
  categoryOrder: [...new Set(SECTIONS.values()), 'Reference'],
  navigation: { includeCategories: true, includeGroups: false, includeFolders: false },
  sort: ['documents-first', 'kind', 'alphabetical-ignoring-documents'],
  sortEntryPoints: false,
  searchInComments: true,
  searchInDocuments: true,
  highlightLanguages: ['bash', 'javascript', 'json', 'typescript', 'yaml'],
  ignoredHighlightLanguages: ['promql', 'text'],
  intentionallyNotExported: INTERNAL,
  // Comments of Node's own types link to what is Node's.
  externalSymbolLinkMappings: { '@types/node': { '*': '#' } },
  validation: { notExported: true, invalidLink: true, invalidPath: true, rewrittenLink: true },
});

app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
  const file = app.files.getReflectionPath(document);
  const path = PAGES.get(file);
  document.name = /^# (.*)$/m.exec(readFileSync(file, 'utf8'))[1].replaceAll('`', '');
  document.frontmatter.category = SECTIONS.get(path);
  plainHeadings(document.content);
  // Links to what it was made of lead to it.
  app.files.registerReflectionPath(join(root, path).replaceAll('\\', '/'), document);
});

/** The list of what is on a page leaves out code, and "Options of and" is no heading. */
function plainHeadings(parts) {
  let line = '';
  for (const part of parts) {
    if (part.kind === 'code' && /^#+ /.test(line))
      Object.assign(part, { kind: 'text', text: part.text.replaceAll('`', '') });
    line = (line + part.text).split('\n').at(-1);
  }
}

app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  // The page has the name of the project above it already.
  project.readme[0].text = project.readme[0].text.replace(/^# .*\n/, '');
  plainHeadings(project.readme);
  for (const module of project.getChildrenByKind(ReflectionKind.Module)) {
    const [file, subpath] = [...MODULES].find(
      ([path]) => path.replace(/^src\/|(\/index)?\.ts$/g, '') === module.name,
    );
    module.name = `plimsoll/${subpath}`;
    module.comment = aboutModule(file, subpath);
  }
});

/** What its index says first, and where its page is. */
function aboutModule(file, subpath) {
  const said = /^\/\*\* ([\s\S]*?) \*\//.exec(read(file))?.[1] ?? '';
  const page = join(root, `docs/${subpath}.md`).replaceAll('\\', '/');
  return new Comment([
    { kind: 'text', text: `${said}\n\n[How it is used, its options and their defaults](` },
    { kind: 'relative-link', text: `docs/${subpath}.md`, ...app.files.registerAbsolute(page) },
    { kind: 'text', text: ').' },
  ]);
}

/** Classes, interfaces, functions, types and options without a word about them. Members of classes speak for themselves. */
function undocumented(project) {
  const kinds =
    ReflectionKind.Class | ReflectionKind.Interface | ReflectionKind.TypeAlias | ReflectionKind.Function;
  const isOption = ({ parent }) =>
    parent?.kind === ReflectionKind.Interface && /(Options|Settings)$/.test(parent.name);
  return project
    .getReflectionsByKind(kinds | ReflectionKind.Property)
    .filter((each) => (each.kind === ReflectionKind.Property ? isOption(each) : true))
    .filter((each) => !each.hasComment() && !each.signatures?.some((signature) => signature.hasComment()))
    .filter((each) => !each.flags.isExternal)
    .map((each) => each.getFullName());
}

rmSync(site.path, { recursive: true, force: true });
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await app.generateOutputs(project);
}
const wrong =
  project === undefined
    ? []
    : [
        ...brokenLinks(site.path).map((link) => `broken link in ${link}`),
        ...undocumented(project).map((name) => `nothing is said of ${name}`),
      ];
for (const each of wrong) console.error(`docs: ${each}`);
const problems = app.logger.errorCount + app.logger.warningCount + wrong.length;
console.error(problems === 0 ? `docs: ${join(site.path, 'index.html')}` : `docs: ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
