// `node scripts/release-check.mjs v0.2.0`: whether what is here may be published by that tag. Says all that is wrong with it.
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const changelog = readFileSync('CHANGELOG.md', 'utf8');
const { version } = manifest;

/** The text below `## 0.2.0 – 2027-01-31`, up to the next heading of its kind. */
const section = changelog
  .split(/^## /m)
  .find((part) => part.startsWith(`${version} `) || part.startsWith(`${version}\n`));

const problems = [
  [
    tag === `v${version}`,
    `the tag is ${JSON.stringify(tag)}, the version in package.json ${JSON.stringify(version)}`,
  ],
  [section !== undefined, `CHANGELOG.md has no section "## ${version} – <date>"`],
  [
    section === undefined || section.split('\n').slice(1).join('').trim() !== '',
    `the section of ${version} is empty`,
  ],
  [manifest.private !== true, 'package.json says that it is private'],
  // A registry compares it with where the package was built, and refuses the provenance of any other.
  [
    manifest.repository?.url !== undefined,
    'package.json has no repository.url, which provenance is checked against',
  ],
].flatMap(([isRight, problem]) => (isRight ? [] : [problem]));

for (const problem of problems) console.error(`release: ${problem}`);
if (problems.length === 0) console.error(`release: ${tag} may be published`);
process.exitCode = problems.length === 0 ? 0 : 1;
