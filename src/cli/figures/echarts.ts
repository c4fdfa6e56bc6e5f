/**
 * Apache ECharts, as far as we use it. In the published package this file is a bundle that holds it, so that nobody has
 * to install all of it: nothing else imports more than its types.
 */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendPlainComponent, MarkLineComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { Chart } from '../../simulations/figures/chart.js';

use([
  BarChart,
  GridComponent,
  LegendPlainComponent,
  LineChart,
  MarkLineComponent,
  SVGRenderer,
  TitleComponent,
]);

export function renderChart({ width, height, option }: Chart): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return chart.renderToSVGString();
  } finally {
    // It would go on waiting for the next frame.
    chart.dispose();
  }
}
