/**
 * A small metrics registry: counters, gauges and histograms with labels, written as Prometheus text. Label sets are
 * bounded per metric; dropped ones are counted in `mendlet_metric_series_dropped_total`.
 */
import { assert } from './errors.ts';
import { formatNumber, labelText } from './metrics-text.ts';

export type Labels = Readonly<Record<string, string>>;

/** Series per metric; a node of 500 pods with 3 probes each fits. */
export const MAX_SERIES_PER_METRIC = 5000;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  /** Label names in the order of the text. */
  readonly labels?: readonly string[];
  readonly maxSeries?: number;
}

export interface HistogramOptions extends MetricOptions {
  /** Upper bounds, rising, without +Inf; default: Prometheus' own list. */
  readonly buckets?: readonly number[];
}

export interface Counter {
  inc(labels?: Labels, by?: number): void;
  /** Forgets one series: the thing it told of is gone. */
  remove(labels: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
  add(by: number, labels?: Labels): void;
  /** Forgets one series: the thing it told of is gone. */
  remove(labels: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
  /** Forgets one series: the thing it told of is gone. */
  remove(labels: Labels): void;
}

export interface MetricsRegistry {
  /** The same name again gives the same metric; another type or other labels are a programmer's error. */
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: HistogramOptions): Histogram;
  /** Registers a function that is called before every exposition, to set gauges that are computed when they are read. */
  onCollect(collect: () => void): void;
  /** Prometheus text exposition format 0.0.4. */
  text(): string;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** client_golang's default buckets, seconds. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `count` bounds: start, start × factor, … as client_golang's ExponentialBuckets. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Number((start * factor ** i).toPrecision(12)));
}

/** `count` bounds: start, start + width, … */
export function linearBuckets(start: number, width: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => Number((start + width * i).toPrecision(12)));
}

interface Series {
  readonly labels: Labels;
  value: number;
  sum: number;
  counts: number[];
}

interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly buckets: readonly number[];
  readonly maxSeries: number;
  readonly series: Map<string, Series>;
}

const NO_LABELS: Labels = {};
const KEY_SEPARATOR = '\u0000';

function seriesKey(metric: Metric, labels: Labels): string {
  if (metric.labelNames.length === 0) return '';
  if (metric.labelNames.length === 1) return labels[metric.labelNames[0] as string] ?? '';
  return metric.labelNames.map((name) => labels[name] ?? '').join(KEY_SEPARATOR);
}

function writeHistogram(metric: Metric, series: Series, out: string[]): void {
  let cumulative = 0;
  for (const [i, count] of series.counts.entries()) {
    cumulative += count;
    const bound = metric.buckets[i];
    const le = bound === undefined ? '+Inf' : formatNumber(bound);
    out.push(`${metric.name}_bucket${labelText(metric.labelNames, series.labels, le)} ${cumulative}`);
  }
  const labels = labelText(metric.labelNames, series.labels);
  out.push(`${metric.name}_sum${labels} ${formatNumber(series.sum)}`, `${metric.name}_count${labels} ${cumulative}`);
}

function writeMetric(metric: Metric, out: string[]): void {
  if (metric.series.size === 0) return;
  out.push(
    `# HELP ${metric.name} ${metric.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${metric.name} ${metric.type}`,
  );
  for (const series of metric.series.values()) {
    if (metric.type === 'histogram') writeHistogram(metric, series, out);
    else out.push(`${metric.name}${labelText(metric.labelNames, series.labels)} ${formatNumber(series.value)}`);
  }
}

export function createMetrics(): MetricsRegistry {
  const metrics = new Map<string, Metric>();
  const collectors: (() => void)[] = [];

  const register = (type: Metric['type'], options: HistogramOptions): Metric => {
    const known = metrics.get(options.name);
    if (known !== undefined) {
      assert(known.type === type, `metric ${options.name} is registered as ${known.type}`);
      return known;
    }
    const metric: Metric = {
      type,
      name: options.name,
      help: options.help,
      labelNames: options.labels ?? [],
      buckets: options.buckets ?? DEFAULT_BUCKETS,
      maxSeries: options.maxSeries ?? MAX_SERIES_PER_METRIC,
      series: new Map(),
    };
    metrics.set(options.name, metric);
    if (metric.labelNames.length === 0) seriesOf(metric, NO_LABELS);
    return metric;
  };

  const seriesOf = (metric: Metric, labels: Labels): Series | undefined => {
    const key = seriesKey(metric, labels);
    const known = metric.series.get(key);
    if (known !== undefined) return known;
    if (metric.series.size >= metric.maxSeries) {
      dropped.inc({ metric: metric.name });
      return undefined;
    }
    const counts = metric.type === 'histogram' ? Array.from({ length: metric.buckets.length + 1 }, () => 0) : [];
    const series: Series = { labels: { ...labels }, value: 0, sum: 0, counts };
    metric.series.set(key, series);
    return series;
  };

  const counter = (options: MetricOptions): Counter => {
    const metric = register('counter', options);
    return {
      inc: (labels = NO_LABELS, by = 1) => {
        const series = seriesOf(metric, labels);
        if (series !== undefined) series.value += by;
      },
      remove: (labels) => void metric.series.delete(seriesKey(metric, labels)),
    };
  };

  const gauge = (options: MetricOptions): Gauge => {
    const metric = register('gauge', options);
    return {
      set: (value, labels = NO_LABELS) => {
        const series = seriesOf(metric, labels);
        if (series !== undefined) series.value = value;
      },
      add: (by, labels = NO_LABELS) => {
        const series = seriesOf(metric, labels);
        if (series !== undefined) series.value += by;
      },
      remove: (labels) => void metric.series.delete(seriesKey(metric, labels)),
    };
  };

  const histogram = (options: HistogramOptions): Histogram => {
    const metric = register('histogram', options);
    return {
      observe: (value, labels = NO_LABELS) => {
        const series = seriesOf(metric, labels);
        if (series === undefined) return;
        const found = metric.buckets.findIndex((bound) => value <= bound);
        const bucket = found === -1 ? metric.buckets.length : found;
        series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
        series.sum += value;
      },
      remove: (labels) => void metric.series.delete(seriesKey(metric, labels)),
    };
  };

  const dropped = counter({
    name: 'mendlet_metric_series_dropped_total',
    help: 'Samples dropped because their metric had too many label sets.',
    labels: ['metric'],
  });

  return {
    counter,
    gauge,
    histogram,
    onCollect: (collect) => void collectors.push(collect),
    text: () => {
      for (const collect of collectors) collect();
      const out: string[] = [];
      for (const metric of metrics.values()) writeMetric(metric, out);
      return out.length === 0 ? '' : `${out.join('\n')}\n`;
    },
  };
}
