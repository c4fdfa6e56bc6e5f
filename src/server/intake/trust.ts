import { BlockList, isIPv4, isIPv6, type Socket } from 'node:net';

/** Whose word on criticality, deadline, attempt and customer is believed: by the address at the other end. */
export type Trust = 'private' | 'all' | 'none' | readonly string[] | ((address: string) => boolean);

/** RFC 1918, RFC 4193, link-local and loopback: where one's own services live. */
const PRIVATE = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/** In place of the address of a peer on a socket of the file system, which has none: who may open it is decided there. */
export const OF_FILE_SYSTEM = Symbol('plimsoll.of-file-system');

/** Undefined is nobody: a peer that has reset its connection already has no address, and its bytes may still come. */
export type PeerAddress = string | typeof OF_FILE_SYSTEM | undefined;

/** Whom `trustOf` is to be asked about. */
export function peerOf(socket: Socket): PeerAddress {
  return socket.remoteAddress ?? (isOfFileSystem(socket) ? OF_FILE_SYSTEM : undefined);
}

function isOfFileSystem(socket: Socket): boolean {
  const { server } = socket as { server?: { address?(): unknown } };
  return typeof server?.address?.() === 'string';
}

/** Turns the option into one question, asked once for each connection. Of nobody the answer is no. */
export function trustOf(
  trust: Trust,
  onError: (error: unknown) => void = () => {},
): (peer: PeerAddress) => boolean {
  if (trust === 'all') return (peer) => peer !== undefined;
  if (trust === 'none') return () => false;
  if (typeof trust === 'function') return (peer) => typeof peer === 'string' && isSaid(trust, peer, onError);
  if (trust !== 'private' && !Array.isArray(trust)) {
    throw new RangeError(
      `trust must be 'private', 'all', 'none', a list of networks or a function, got ${String(trust)}`,
    );
  }
  const networks = new BlockList();
  for (const network of trust === 'private' ? PRIVATE : (trust as readonly string[])) add(networks, network);
  return (peer) => peer === OF_FILE_SYSTEM || (peer !== undefined && isWithin(networks, peer));
}

/** Whoever cannot say must not bring the connection down, and is no reason to believe it. */
function isSaid(
  trust: (address: string) => boolean,
  address: string,
  onError: (error: unknown) => void,
): boolean {
  try {
    return trust(address) === true;
  } catch (error) {
    onError(error);
    return false;
  }
}

function add(networks: BlockList, network: string): void {
  const [address = '', bits] = String(network).split('/');
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  const most = family === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (family === undefined || !(prefix <= most)) {
    throw new RangeError(`trust must list networks such as 10.0.0.0/8, got ${JSON.stringify(network)}`);
  }
  networks.addSubnet(address, prefix, family);
}

function isWithin(networks: BlockList, address: string): boolean {
  // A server that listens on `::` sees IPv4 peers in this form.
  const plain = address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address;
  if (isIPv4(plain)) return networks.check(plain, 'ipv4');
  return isIPv6(plain) && networks.check(plain, 'ipv6');
}
