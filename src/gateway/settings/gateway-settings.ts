import { stringify } from 'yaml';
import * as z from 'zod';
import { parseSettings, type Variables } from '../../config/index.js';
import { type GatewaySettings, gatewaySchema } from './gateway-schema.js';
import { withoutSecrets } from './without-secrets.js';

/** What a text says; a SettingsError has everything that is wrong with it. `name` is what it is called there. */
export function parseGatewaySettings(
  text: string,
  name = 'plimsoll.yaml',
  environment: Variables | undefined = process.env,
): GatewaySettings {
  return parseSettings(text, gatewaySchema, name, { environment });
}

/** For editors, which complete and check by it. */
export function gatewayJsonSchema(): object {
  const schema = z.toJSONSchema(gatewaySchema, { io: 'input', unrepresentable: 'any' });
  return { title: 'Gateway of Plimsoll', ...schema };
}

/** All that holds, as a file: with what was not said filled in, and without secrets. */
export function printSettings(settings: GatewaySettings): string {
  return stringify(withoutSecrets(settings), { lineWidth: 120, aliasDuplicateObjects: false });
}
