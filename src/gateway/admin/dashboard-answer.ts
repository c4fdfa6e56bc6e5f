import type { IncomingHttpHeaders } from 'node:http';
import { type AdminAnswer, problem } from './answers.js';
import type { DashboardFiles, FileForm } from './dashboard-files.js';

/**
 * A page that loads nothing but its own files, asks nobody but this port, and is shown in no frame. Styles that scripts
 * set by CSSOM are not concerned.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SAFE: Readonly<Record<string, string>> = Object.freeze({
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  // No page of another site may even find out that this one is here.
  'cross-origin-resource-policy': 'same-origin',
});

const NOT_BUILT = problem(
  503,
  'The dashboard is not built here: run `npm run build`. Everything else on this port works without it',
);
const NO_FILE = problem(404, 'there is no such file: the dashboard is at /dashboard/');

/** A name that is asked for, below `/dashboard/`; empty: the page itself. */
export async function dashboardAnswer(
  files: DashboardFiles,
  name: string,
  headers: IncomingHttpHeaders,
): Promise<AdminAnswer> {
  const all = await files.all();
  if (all === undefined) return NOT_BUILT;
  const file = all.get(name === '' ? 'index.html' : name);
  if (file === undefined) return NO_FILE;
  const { type, isImmutable, forms } = file;
  const form = forms.find(({ coding }) => coding === undefined || isAccepted(coding, headers))!;
  const said = {
    ...SAFE,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: form.etag,
    ...(forms.length > 1 ? { vary: 'accept-encoding' } : {}),
  };
  if (isKnown(form, headers['if-none-match'])) return { status: 304, type, body: '', headers: said };
  const coded = form.coding === undefined ? said : { ...said, 'content-encoding': form.coding };
  return { status: 200, type, body: form.body, headers: coded };
}

/** To the page, from wherever people come. Relative: a proxy may have put this port below a path of its own. */
export const TO_DASHBOARD: AdminAnswer = Object.freeze({
  status: 302,
  type: 'text/plain; charset=utf-8',
  body: 'the dashboard is at /dashboard/\n',
  headers: { location: 'dashboard/', vary: 'accept' },
});

/** A browser that goes somewhere, and no script or tool. */
export function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  return /(^|[,\s])text\/html\s*(;|,|$)/i.test(accept);
}

/** RFC 9110, 12.5.3: named, and not with a weight of 0. */
function isAccepted(coding: string, { 'accept-encoding': accepted = '' }: IncomingHttpHeaders): boolean {
  return String(accepted)
    .split(',')
    .map((each) =>
      each
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .some(([name, weight]) => name === coding && !/^q=0(\.0*)?$/.test(weight ?? ''));
}

/** RFC 9110, 13.1.2: compared weakly. */
function isKnown({ etag }: FileForm, marks: string | undefined): boolean {
  if (marks === undefined) return false;
  return marks.split(',').some((mark) => mark.trim() === '*' || mark.trim().replace(/^W\//, '') === etag);
}
