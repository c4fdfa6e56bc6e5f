/**
 * The parts of ECharts that the page draws with, and no others: it is most of what a browser has to fetch. Marks and what
 * stands under the pointer are elements of the page, which readers of screens and the page's policy prefer, too.
 */
import { LineChart } from 'echarts/charts';
import { GridSimpleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([LineChart, GridSimpleComponent, CanvasRenderer]);

export { init };
