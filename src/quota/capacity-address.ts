/** What a server of capacity can be reached by. The first two by HTTP; the others take a transport of gRPC's. */
export const HTTP_PROTOCOLS: readonly string[] = Object.freeze(['http:', 'https:']);
export const GRPC_PROTOCOLS: readonly string[] = Object.freeze(['grpc:', 'grpcs:']);
export const ALL_PROTOCOLS: readonly string[] = Object.freeze([...HTTP_PROTOCOLS, ...GRPC_PROTOCOLS]);

/** What can stand in a header as it is. */
const PRINTABLE = /^[!-~]{1,1024}$/;

/** Whether it is the address of a server, by one of these protocols. */
export function isAddress(url: unknown, protocols: readonly string[]): url is string {
  if (typeof url !== 'string' || !PRINTABLE.test(url) || !URL.canParse(url)) return false;
  const { protocol, search, hash, hostname, port, pathname, username, password } = new URL(url);
  if (!protocols.includes(protocol) || search !== '' || hash !== '') return false;
  if (HTTP_PROTOCOLS.includes(protocol)) return true;
  // A host and a port is all that other protocols have a use for, and none has a port that goes without saying.
  const isBare = ['', '/'].includes(pathname) && username === '' && password === '';
  return isBare && hostname !== '' && port !== '';
}

/** `an http, https or grpc address`: what should have been given. */
export function addressWords(protocols: readonly string[]): string {
  const names = protocols.map((protocol) => protocol.slice(0, -1));
  return `an ${names.slice(0, -1).join(', ')} or ${names.at(-1)} address`;
}

/** Several addresses of one server, as one text. */
export function joinAddresses(addresses: readonly string[]): string {
  return addresses.join(' ');
}

/** Those of them that can be reached by one of these protocols. */
export function splitAddresses(text: string, protocols: readonly string[]): string[] {
  return text.split(' ').filter((address) => isAddress(address, protocols));
}
