import { stringify } from 'yaml';
import * as z from 'zod';
import { parseSettings, type Variables } from '../../config/index.js';
import { type GatewaySettings, gatewaySchema } from './gateway-schema.js';

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

const HIDDEN = '***';

/** All that holds, as a file: with what was not said filled in, and without secrets. */
export function printSettings(settings: GatewaySettings): string {
  const { redis, admin, identity } = settings;
  const shown = {
    ...settings,
    ...(redis === undefined ? {} : { redis: { ...redis, url: shownUrls(redis.url) } }),
    ...(admin === false || admin.token === undefined ? {} : { admin: { ...admin, token: HIDDEN } }),
    ...(identity.jwt?.secret === undefined
      ? {}
      : { identity: { ...identity, jwt: { ...identity.jwt, secret: HIDDEN } } }),
  };
  return stringify(shown, { lineWidth: 120, aliasDuplicateObjects: false });
}

function shownUrls(url: string | readonly string[]): string | string[] {
  return typeof url === 'string' ? shownUrl(url) : url.map(shownUrl);
}

/** Who and where, but not by what: name and password are both kept back. */
function shownUrl(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '' && url.search === '') return text;
  return `${url.protocol}//${HIDDEN}@${url.host}${url.pathname}`;
}
