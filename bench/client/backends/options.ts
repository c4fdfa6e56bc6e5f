/** Where backends listen, unless they are told otherwise. */
export const LOOPBACK = '127.0.0.1';

export type BackendOptions = { readonly host?: string } & (
  | /** Gives back what it is sent; ends on SIGTERM without losing a request. */
  { readonly kind: 'echo'; readonly port: number; readonly mode?: 'enforce' | 'dry-run' }
  /** One request at a time, each of so many milliseconds. */
  | { readonly kind: 'worker'; readonly costMs: number }
  /** As little as possible. */
  | { readonly kind: 'plain' }
);
