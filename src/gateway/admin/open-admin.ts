import type { ListeningAt } from '../listeners.js';
import type { GatewaySettings } from '../settings/index.js';
import { AdminServer } from './admin-server.js';
import type { AdminTarget } from './admin-target.js';

/** An admin port that is open. */
export interface OpenAdmin {
  readonly at: ListeningAt;
  close(): Promise<void>;
}

/**
 * The admin port as settings have it; undefined when they have none. They are asked again and again: a token may change.
 * Rejects with what is wrong in one line.
 */
export async function openAdmin(
  target: AdminTarget,
  settings: () => GatewaySettings,
  onError: (error: unknown) => void,
): Promise<OpenAdmin | undefined> {
  const { admin } = settings();
  if (admin === false) return undefined;
  const token = () => {
    const { admin: now } = settings();
    // Reloading cannot take the port away: this is for those who try.
    return now === false ? admin.token : now.token;
  };
  const server = new AdminServer(target, { address: admin.address, token, onError });
  try {
    return { at: await server.listen(), close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}
