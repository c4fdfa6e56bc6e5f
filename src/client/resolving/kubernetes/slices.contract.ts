/** Objects of the Kubernetes API, as much of them as tests need. */

export interface EndpointObject {
  readonly addresses: readonly string[];
  readonly conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  readonly zone?: string;
  readonly targetRef?: { readonly uid: string };
}

export interface SliceObject {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly addressType: string;
  readonly ports?: readonly { name?: string; port?: number; protocol?: string }[];
  readonly endpoints?: readonly EndpointObject[] | null;
}

export function sliceObject(
  name: string,
  resourceVersion: number,
  addresses: readonly (string | EndpointObject)[],
  rest: Partial<SliceObject> = {},
): SliceObject {
  return {
    metadata: { name, resourceVersion: String(resourceVersion) },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: addresses.map((each) => (typeof each === 'string' ? { addresses: [each] } : each)),
    ...rest,
  };
}

export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}
