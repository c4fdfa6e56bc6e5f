/**
 * OpenTelemetry's metrics as Prometheus reads them. In the published package this file is a bundle that holds the parts
 * of OpenTelemetry's SDK that it takes, so that nobody has to install them: nothing else imports them, and this file is
 * loaded by whoever has an admin port alone.
 */
import type { Meter } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';

/** Reads when it is told to, and has nothing to let go of. */
class OneReading extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

/** No label of ours has more values; a mistake that makes more must not fill the memory. */
const MOST_SERIES = 10_000;

/**
 * What the instruments that `register` makes have to say now. Everything is made anew for each reading: an SDK that is
 * kept would go on telling of services, customers and rules that are long gone. All instruments are to be observed ones,
 * which have their counts elsewhere; whatever provider others have registered is not touched.
 */
export async function prometheusText(register: (meter: Meter) => void): Promise<string> {
  const reader = new OneReading({ cardinalitySelector: () => MOST_SERIES });
  const provider = new MeterProvider({ readers: [reader] });
  try {
    register(provider.getMeter('plimsoll'));
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) throw errors[0];
    // Without what OpenTelemetry says of itself: Prometheus has labels of its own for who was asked.
    return new PrometheusSerializer('', false, undefined, true, true).serialize(resourceMetrics);
  } finally {
    await provider.shutdown();
  }
}
