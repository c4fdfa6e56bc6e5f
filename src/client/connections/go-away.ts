/** As undici 7 ends a connection on which it reads the frame; the code is the frame's (RFC 9113, 6.8). */
const GOAWAY = /"GOAWAY" frame received with code (\d+)$/;

/** Whether a connection ended because the server said, without an error, that it takes nothing new there. */
export function isGracefulGoAway(error: Error | null | undefined): boolean {
  return error != null && GOAWAY.exec(error.message)?.[1] === '0';
}
