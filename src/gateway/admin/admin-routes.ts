import type { IncomingHttpHeaders } from 'node:http';
import { type AdminCall, type AdminPath, adminPaths } from './admin-paths.js';
import type { AdminTarget } from './admin-target.js';
import { type AdminAnswer, problem, text } from './answers.js';
import { TO_DASHBOARD, wantsPage } from './dashboard-answer.js';
import { DashboardFiles } from './dashboard-files.js';

/** What a request is for; or what to answer at once. */
export type AdminRoute =
  | { readonly answer: AdminAnswer }
  | {
      readonly access: AdminPath['access'];
      readonly act: 'stream' | (() => AdminAnswer | Promise<AdminAnswer>);
      readonly query: URLSearchParams;
    };

type Methods = Pick<AdminPath, 'methods' | 'access'>;

/** Where the page is. What follows names a file, which may be in a folder. */
const DASHBOARD = '/dashboard/';

/** Finds what is asked for. */
export class AdminRoutes {
  readonly #paths: ReadonlyMap<string, AdminPath>;
  readonly #list: Methods;

  constructor(target: AdminTarget, dashboard: DashboardFiles = new DashboardFiles()) {
    const paths = adminPaths(target, dashboard);
    this.#paths = new Map(paths.map((each) => [patternOf(each.path), each]));
    if (this.#paths.size < paths.length) throw new RangeError('a path of the admin port is there twice');
    const width = Math.max(...paths.map(({ path }) => path.length));
    const list = text(paths.map(({ path, what }) => `${path.padEnd(width)}  ${what}\n`).join(''));
    this.#list = { methods: { GET: () => list } };
  }

  find(method: string, url: string, headers: IncomingHttpHeaders = {}): AdminRoute {
    const parsed = parse(url);
    if (parsed === undefined) return { answer: problem(400, 'the path cannot be read') };
    const { path, query } = parsed;
    const name = path.startsWith(DASHBOARD) ? path.slice(DASHBOARD.length) : (path.split('/')[2] ?? '');
    const found = this.#find(path, name, headers);
    if (found === undefined) return { answer: problem(404, 'there is nothing: GET / has a list') };
    return this.#route(method, found, { name, query, headers });
  }

  #find(path: string, name: string, headers: IncomingHttpHeaders): Methods | undefined {
    if (path === '/') return wantsPage(headers) ? LEADS_TO_PAGE : this.#list;
    if (path === '/dashboard') return LEADS_TO_PAGE;
    if (path.startsWith(DASHBOARD)) return this.#paths.get(`${DASHBOARD}{}`);
    if (path.includes('{')) return undefined;
    const [, first = '', , ...more] = path.split('/');
    return (
      this.#paths.get(path) ??
      (name !== '' && more.length === 0 ? this.#paths.get(`/${first}/{}`) : undefined)
    );
  }

  #route(method: string, path: Methods, call: AdminCall): AdminRoute {
    const asked = method === 'HEAD' ? 'GET' : method;
    const act = Object.hasOwn(path.methods, asked) ? path.methods[asked] : undefined;
    if (act === undefined) {
      const allow = Object.keys(path.methods).flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : each));
      return { answer: problem(405, `use ${allow.join(' or ')}`, { allow: allow.join(', ') }) };
    }
    return {
      access: path.access,
      act: act === 'stream' ? act : () => act(call),
      query: call.query,
    };
  }
}

const LEADS_TO_PAGE: Methods = { access: 'page', methods: { GET: () => TO_DASHBOARD } };

/** How the last part is called is for people who read of it. */
function patternOf(path: string): string {
  return path.replace(/\{[^}]*\}$/, '{}');
}

/** Path and query in the clear; undefined when that cannot be. */
function parse(url: string): { path: string; query: URLSearchParams } | undefined {
  const [raw = '', query = ''] = url.split('?', 2);
  try {
    return raw.startsWith('/')
      ? { path: decodeURIComponent(raw), query: new URLSearchParams(query) }
      : undefined;
  } catch {
    return undefined;
  }
}
