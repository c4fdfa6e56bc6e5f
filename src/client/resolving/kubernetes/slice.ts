/** An EndpointSlice (discovery.k8s.io/v1), as much of it as matters here. */
export interface Slice {
  readonly name: string;
  readonly resourceVersion: string;
  readonly addressType: string;
  readonly ports: readonly SlicePort[];
  readonly endpoints: readonly SliceEndpoint[];
}

export interface SlicePort {
  readonly name: string;
  readonly port: number;
}

/** What Kubernetes calls an endpoint is what we call a backend, without its port. */
export interface SliceEndpoint {
  readonly address: string;
  readonly zone: string | undefined;
  /** Undefined for one that takes nothing any more. */
  readonly state: 'ready' | 'starting' | 'lame-duck' | undefined;
  /** Of the pod; undefined when it is none. */
  readonly uid: string | undefined;
}

/** A slice holds 1,000 at most, Kubernetes' own limit. */
const MOST_ENDPOINTS = 1_000;
/** The same for ports, which it limits to 100. */
const MOST_PORTS = 100;

type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object of the API says; undefined when it is no slice. What is wrong within it is left out. */
export function readSlice(object: unknown): Slice | undefined {
  if (!isFields(object) || !isFields(object['metadata'])) return undefined;
  const { name, resourceVersion } = object['metadata'];
  if (typeof name !== 'string' || typeof resourceVersion !== 'string') return undefined;
  const { addressType } = object;
  if (typeof addressType !== 'string') return undefined;
  return {
    name,
    resourceVersion,
    addressType,
    ports: listOf(object['ports'], MOST_PORTS).flatMap(readPort),
    endpoints: listOf(object['endpoints'], MOST_ENDPOINTS).flatMap(readEndpoint),
  };
}

function listOf(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function readPort(given: unknown): SlicePort[] {
  if (!isFields(given)) return [];
  const { name, port, protocol } = given;
  // Without a number it means all ports, of which none can be chosen.
  if (typeof port !== 'number' || (protocol ?? 'TCP') !== 'TCP') return [];
  return [{ name: typeof name === 'string' ? name : '', port }];
}

function readEndpoint(given: unknown): SliceEndpoint[] {
  if (!isFields(given)) return [];
  const { addresses, conditions, zone, targetRef } = given;
  // Several addresses of one endpoint are the same thing, and the API says to use the first.
  const address: unknown = Array.isArray(addresses) ? addresses[0] : undefined;
  if (typeof address !== 'string') return [];
  return [
    {
      address,
      zone: typeof zone === 'string' ? zone : undefined,
      state: readState(isFields(conditions) ? conditions : {}),
      uid: isFields(targetRef) && typeof targetRef['uid'] === 'string' ? targetRef['uid'] : undefined,
    },
  ];
}

/** Conditions that are not said: ready, serving, not terminating (as the API has it). */
function readState({ ready, serving, terminating }: Fields): SliceEndpoint['state'] {
  if (terminating === true) return serving === false ? undefined : 'lame-duck';
  return serving === false || ready === false ? 'starting' : 'ready';
}
