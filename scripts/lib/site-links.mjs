// Whether the links of a site that is made of files lead somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What is not on this site: other hosts, mails, and what scripts do. */
const ELSEWHERE = /^(?:[a-z][a-z+.-]*:|\/\/)/i;

/** Each link to a file, or to a place in a page, that is not there: `page → target`. */
export function brokenLinks(folder) {
  const files = new Set(readdirSync(folder, { recursive: true }).map((name) => name.replaceAll('\\', '/')));
  const pages = new Map(
    [...files].filter((name) => name.endsWith('.html')).map((name) => [name, pageOf(folder, name)]),
  );
  return [...pages].flatMap(([page, { links }]) =>
    links.filter((link) => !leads(link, page, files, pages)).map((link) => `${page} → ${link}`),
  );
}

function pageOf(folder, name) {
  const html = readFileSync(join(folder, name), 'utf8');
  const ids = new Set(Array.from(html.matchAll(/\s(?:id|name)="([^"]*)"/g), ([, id]) => unescaped(id)));
  const links = Array.from(html.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, link]) => unescaped(link));
  const sets = Array.from(html.matchAll(/\ssrcset="([^"]*)"/g), ([, list]) => unescaped(list).split(/\s/)[0]);
  return {
    ids,
    links: [...new Set([...links, ...sets])].filter((link) => link !== '' && !ELSEWHERE.test(link)),
  };
}

function leads(link, page, files, pages) {
  const [path, anchor = ''] = decodeURI(link).split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path.split('?')[0]));
  if (!files.has(target)) return false;
  return anchor === '' || !pages.has(target) || pages.get(target).ids.has(anchor);
}

function unescaped(text) {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
