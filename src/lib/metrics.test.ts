import { describe, expect, it } from 'vitest';
import { createMetrics, exponentialBuckets, linearBuckets } from './metrics.ts';

describe('metrics', () => {
  it('writes the text format', () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'a_total', help: 'All a.\nReally.', labels: ['x', 'y'] }).inc({ x: 'p"q', y: 'l\n\\' }, 2);
    metrics.gauge({ name: 'g', help: 'A gauge.' }).set(-1.5);
    const histogram = metrics.histogram({ name: 'h_seconds', help: 'Times.', labels: ['op'], buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value, { op: 'get' });
    expect(metrics.text()).toBe(
      [
        '# HELP a_total All a.\\nReally.',
        '# TYPE a_total counter',
        'a_total{x="p\\"q",y="l\\n\\\\"} 2',
        '# HELP g A gauge.',
        '# TYPE g gauge',
        'g -1.5',
        '# HELP h_seconds Times.',
        '# TYPE h_seconds histogram',
        'h_seconds_bucket{op="get",le="0.1"} 2',
        'h_seconds_bucket{op="get",le="1"} 3',
        'h_seconds_bucket{op="get",le="+Inf"} 4',
        'h_seconds_sum{op="get"} 7.65',
        'h_seconds_count{op="get"} 4',
        '',
      ].join('\n'),
    );
  });

  it('gives the same metric for the same name, and refuses another type', () => {
    const metrics = createMetrics();
    metrics.counter({ name: 'a_total', help: '' }).inc();
    metrics.counter({ name: 'a_total', help: '' }).inc();
    expect(metrics.text()).toContain('a_total 2');
    expect(() => metrics.gauge({ name: 'a_total', help: '' })).toThrow('registered as counter');
  });

  it('bounds the series of a metric and counts what it drops', () => {
    const metrics = createMetrics();
    const counter = metrics.counter({ name: 'a_total', help: '', labels: ['x'], maxSeries: 2 });
    for (const x of ['1', '2', '3', '4', '1']) counter.inc({ x });
    expect(metrics.text()).toContain('mendlet_metric_series_dropped_total{metric="a_total"} 2');
    expect(metrics.text()).not.toContain('x="3"');
  });

  it('reads collected gauges at every exposition, and forgets removed series', () => {
    const metrics = createMetrics();
    const gauge = metrics.gauge({ name: 'g', help: '', labels: ['x'] });
    let reads = 0;
    metrics.onCollect(() => gauge.set((reads += 1), { x: 'a' }));
    metrics.text();
    expect(metrics.text()).toContain('g{x="a"} 2');
    gauge.set(1, { x: 'b' });
    gauge.remove({ x: 'b' });
    expect(metrics.text()).not.toContain('x="b"');
  });

  it('makes bucket lists', () => {
    expect(exponentialBuckets(0.001, 2, 4)).toEqual([0.001, 0.002, 0.004, 0.008]);
    expect(linearBuckets(1, 0.5, 3)).toEqual([1, 1.5, 2]);
  });
});
