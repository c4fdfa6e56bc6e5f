import { callTreeScenario } from './call-tree.js';
import { figure203Scenario } from './figure-20-3.js';
import { figure204Scenario } from './figure-20-4.js';
import { figure205Scenario } from './figure-20-5.js';
import { figure206Scenario } from './figure-20-6.js';
import { figure211Scenario } from './figure-21-1.js';
import { isolationScenario } from './isolation.js';
import { noRatchetScenario } from './no-ratchet.js';
import { plateauScenario } from './plateau.js';
import { prequalRampScenario } from './prequal-ramp.js';
import { prequalRulesScenario } from './prequal-rules.js';
import { quotaScenario } from './quota.js';
import { quotaFleetScenario } from './quota-fleet.js';
import { quotaOutageScenario } from './quota-outage.js';
import { retryAmplificationScenario } from './retry-amplification.js';
import { rollingRestartScenario } from './rolling-restart.js';
import type { Scenario } from './scenario.js';
import { sinkholeScenario } from './sinkhole.js';
import { slowBackendsScenario } from './slow-backends.js';
import { subsettingTableScenario } from './subsetting-table.js';
import { throttlingScenario } from './throttling.js';
import { zoneOutageScenario } from './zone-outage.js';

/** All built-in scenarios, in the order in which they are listed: figures of the texts, balancing, overload, operations. */
export const SCENARIOS: readonly Scenario[] = [
  figure203Scenario,
  figure204Scenario,
  figure205Scenario,
  figure206Scenario,
  figure211Scenario,
  subsettingTableScenario,
  prequalRulesScenario,
  prequalRampScenario,
  slowBackendsScenario,
  sinkholeScenario,
  throttlingScenario,
  retryAmplificationScenario,
  plateauScenario,
  isolationScenario,
  callTreeScenario,
  noRatchetScenario,
  rollingRestartScenario,
  zoneOutageScenario,
  quotaScenario,
  quotaFleetScenario,
  quotaOutageScenario,
];
