import type { RouteSettings } from './route-schema.js';

/** A route with what it is called in metrics and logs. */
export type NamedRoute = RouteSettings & { name: string };

/** Longer ones are cut: they stand in every line of a log. */
const MOST_LETTERS = 180;

/** Those without a name are called by what they are for. */
export function nameRoutes(routes: readonly RouteSettings[]): NamedRoute[] {
  const taken = new Set(routes.flatMap(({ name }) => name ?? []));
  return routes.map((route) => {
    if (route.name !== undefined) return { ...route, name: route.name };
    const plain = descriptionOf(route);
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain}#${count}`;
    taken.add(name);
    return { ...route, name };
  });
}

function descriptionOf({ methods, host, path }: RouteSettings): string {
  const hosts = host === undefined ? '' : [host].flat().join(',');
  const verbs = methods === undefined ? '' : `${methods.join(',')}:`;
  return `${verbs}${hosts}${path}`.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, MOST_LETTERS);
}
