export type CapacityAction = 'ask' | 'release';

export interface CapacityPath {
  readonly resource: string;
  readonly action: CapacityAction;
}

/** In a 503 of a server that is not master: the address of the one that is. */
export const MASTER_HEADER = 'x-plimsoll-master';

/** What can stand in a path as it is. */
const NAME = /^\w[\w.:@-]{0,255}$/;

const PATH = /^\/capacity\/([^/?]+)\/(ask|release)(?:\?|$)/;

export function checkResource(name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new RangeError(`resource must be a name of letters, digits and ._:@-, got ${JSON.stringify(name)}`);
}

/** Of a server at this address, which may have a path of its own. */
export function capacityUrl(address: string, resource: string, action: CapacityAction): string {
  return `${address.replace(/\/+$/, '')}/capacity/${resource}/${action}`;
}

/** What is asked for, or undefined if it is something else. */
export function readCapacityPath(url: string): CapacityPath | undefined {
  const [, resource, action] = PATH.exec(url) ?? [];
  return resource === undefined ? undefined : { resource, action: action as CapacityAction };
}
