import { answerPrimary, tellPrimary } from '../child.js';
import type { LoadNews, LoadOrder } from '../messages.js';
import { measureCapacity } from './closed-loop.js';
import { LoadMeter } from './load-meter.js';
import { OpenLoop } from './open-loop.js';
import { Sender } from './sender.js';

const TURN_MS = 500;

/** The process that makes the load. */
export function runLoad(): void {
  const tell = tellPrimary<LoadNews>;
  const meter = new LoadMeter(performance.now());
  let sender: Sender | undefined;
  let loop: OpenLoop | undefined;
  answerPrimary<LoadOrder>(async (order) => {
    switch (order.kind) {
      case 'start':
        sender = new Sender(order.origin);
        loop = new OpenLoop(sender, meter);
        break;
      case 'measure':
        tell({ kind: 'measured', perSecond: await measureCapacity(sender!, order.ms) });
        break;
      case 'offer':
        loop!.offer(order.plan);
        break;
      case 'count':
        meter.count(performance.now());
        break;
      case 'total':
        tell({ kind: 'total', figures: meter.total });
    }
  });
  setInterval(() => {
    meter.turn(performance.now());
    tell({ kind: 'recent', figures: meter.recent });
  }, TURN_MS);
}
