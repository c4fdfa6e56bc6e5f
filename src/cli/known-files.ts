import { GATEWAY_KEYS, gatewayJsonSchema, parseGatewaySettings } from '../gateway/settings/index.js';
import { parseQuotaFile, QUOTA_FILE_KEYS, type QuotaFile, quotaJsonSchema } from '../quota/quota-file.js';
import { fleetFrom } from '../simulations/fleet-text.js';
import { type FleetSpec, fleetSchema } from '../simulator/fleet/index.js';
import { fleetScenario } from '../simulator/scenarios/fleet-scenario.js';
import { counted } from './counted.js';
import { describeGateway } from './describe-gateway.js';
import { type FileKind, jsonSchema, keysOf } from './file-kinds.js';

const FLEETS = { schema: fleetSchema, scenario: fleetScenario };

/** Everything that `plimsoll check` can check. */
export const KNOWN_FILES: readonly FileKind[] = [
  {
    name: 'gateway',
    words: 'gateway file',
    keys: GATEWAY_KEYS,
    check: (text, path) => describeGateway(parseGatewaySettings(text, path)),
    schema: gatewayJsonSchema,
  },
  {
    name: 'quota',
    words: 'quota file',
    keys: QUOTA_FILE_KEYS,
    check: (text, path) => describeQuotas(parseQuotaFile(text, path)),
    schema: quotaJsonSchema,
  },
  {
    name: 'fleet',
    words: 'simulated fleet',
    keys: keysOf(fleetSchema),
    check: (text, path) => describeFleet(fleetFrom<FleetSpec>(text, { name: path, file: path }, FLEETS).spec),
    schema: () => jsonSchema('A simulated fleet of Plimsoll', fleetSchema),
  },
];

function describeQuotas({ service, unit, limits, enforce }: QuotaFile): string {
  const { customers = [] } = limits;
  const parts = [
    counted(customers.length, 'customer'),
    `in ${unit}`,
    `enforced ${enforce.replace('-', ' ')}`,
  ];
  return [...(service === undefined ? [] : [`service ${service}`]), ...parts].join(', ');
}

function describeFleet({ services, clients, faults }: FleetSpec): string {
  const backends = Object.values(services).map(({ backends }) =>
    typeof backends === 'number' ? backends : backends.reduce((sum, { count }) => sum + count, 0),
  );
  return [
    counted(backends.length, 'service'),
    counted(
      backends.reduce((sum, count) => sum + count, 0),
      'backend',
    ),
    counted(Object.keys(clients).length, 'kind of clients', 'kinds of clients'),
    counted(faults.length, 'fault'),
  ].join(', ');
}
