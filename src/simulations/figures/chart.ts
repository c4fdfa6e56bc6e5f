import type { BarSeriesOption, LineSeriesOption } from 'echarts/charts';
import type {
  GridComponentOption,
  LegendComponentOption,
  MarkLineComponentOption,
  TitleComponentOption,
} from 'echarts/components';
import type { ComposeOption } from 'echarts/core';

export type SeriesOption = BarSeriesOption | LineSeriesOption;
export type { BarSeriesOption, LineSeriesOption, MarkLineComponentOption, TitleComponentOption };

export type ChartOption = ComposeOption<
  SeriesOption | GridComponentOption | LegendComponentOption | MarkLineComponentOption | TitleComponentOption
>;

type OneOf<T> = T extends readonly (infer Item)[] ? Item : NonNullable<T>;

export type XAxisOption = OneOf<ChartOption['xAxis']>;
export type YAxisOption = OneOf<ChartOption['yAxis']>;

export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly option: ChartOption;
}
