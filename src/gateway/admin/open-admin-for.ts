import { withDefaults } from '../../core/check.js';
import { AdminServer } from './admin-server.js';
import { type GuardParts, guardTarget } from './guard-target.js';
import type { OpenAdmin } from './open-admin.js';

/** Where the admin port of a server listens, and who may ask. */
export interface AdminForOptions {
  /** Port, or host and port. */
  readonly address: string;
  /** Needed where others can reach it, and by the page to change anything. */
  readonly token: string | undefined;
  /** Told of what went wrong while something was answered. */
  readonly onError: (error: unknown) => void;
}

/** Where a gateway has its own: on this machine, and for nobody else. */
export const ADMIN_FOR_DEFAULTS: AdminForOptions = Object.freeze({
  address: '127.0.0.1:9901',
  token: undefined,
  onError: (error: unknown) => console.error(error),
});

/** As settings of a gateway have it: a shorter one can be guessed. */
const LEAST_TOKEN = 16;

/**
 * The admin port of a gateway for a server of one's own: the dashboard, metrics, health and events of a guard, and of
 * clients, quotas and limits if there are any. Rejects with what is wrong in one line.
 */
export async function openAdminFor(parts: GuardParts, given?: Partial<AdminForOptions>): Promise<OpenAdmin> {
  const { address, token, onError } = withDefaults('openAdminFor', ADMIN_FOR_DEFAULTS, given);
  if (token !== undefined && token.length < LEAST_TOKEN)
    throw new RangeError(`token must have ${LEAST_TOKEN} characters at least, got ${token.length}`);
  const target = guardTarget(parts, onError);
  const server = new AdminServer(target, { address, token: () => token, onError });
  const close = async () => {
    target.close();
    await server.close();
  };
  try {
    return { at: await server.listen(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
