import { expect, it } from 'vitest';
import { checkMetricsText } from './check-metrics-text.ts';
import { createMetrics } from './metrics.ts';

it.each([
  ['', []],
  ['# HELP a_total Help.\n# TYPE a_total counter\na_total{x="1",y="a\\"b\\\\c\\nd"} 1.5e-09 1700000000000\n', []],
  ['# TYPE a gauge\na NaN\n', []],
  ['a 1\n', ['no TYPE before it: a 1']],
  ['# TYPE a gauge\na 1', ['the last line has no end']],
  ['# TYPE a gauge\na undefined\n', ['not a number: a undefined']],
  ['# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n', ['twice: a{x="1"} 2']],
  ['# TYPE a gauge\na{x="a"b"} 1\n', ['not a sample: a{x="a"b"} 1']],
  ['# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na{x=""} 1\n', ['lines of a do not stand together: a{x=""} 1']],
])('%j', (text, problems) => {
  expect(checkMetricsText(text)).toEqual(problems);
});

it('finds nothing wrong with the registry', () => {
  const metrics = createMetrics();
  metrics.counter({ name: 'a_total', help: 'A\nb\\', labels: ['x'] }).inc({ x: 'quote " back \\ line \n' });
  metrics.histogram({ name: 'b_seconds', help: 'B.', labels: ['y'] }).observe(0.3, { y: '1' });
  expect(checkMetricsText(metrics.text())).toEqual([]);
});
