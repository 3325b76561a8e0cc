import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimMetrics } from '../../src/kubelet/stats/claim-metrics.ts';
import { readSources } from '../house/source-file.ts';
import { deployedExpressions, readDashboard, readRules } from './deployed-expressions.ts';
import { usageOf } from './expressions.ts';
import { type RegisteredMetrics, registeredMetrics } from './registered-metrics.ts';

const sources = readSources(join(resolve(import.meta.dirname, '..', '..'), 'src'));
/** Labels that a scrape adds. */
const OF_SCRAPES = new Set(['job', 'instance']);
const PARTS = /_(bucket|sum|count)$/;

/** Metrics whose names are put together when they are written. */
function claimLabels(): RegisteredMetrics {
  const measured = { namespace: 'ns', claim: 'c', isAbnormal: false, space: space() };
  const lines = claimMetrics([measured as Parameters<typeof claimMetrics>[0][number]]).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, name, labels = ''] = /^(\w+)\{(.*)\}/.exec(line) ?? [];
      const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
      return name === undefined ? [] : [[name, { type: 'gauge', labels: new Set(names) }] as const];
    }),
  );
}

function space() {
  return { bytes: 10, freeBytes: 5, usedBytes: 5, inodes: 10, freeInodes: 5 };
}

const known: RegisteredMetrics = new Map([...registeredMetrics(sources), ...claimLabels()]);

function metricNamed(name: string) {
  const whole = known.get(name);
  if (whole !== undefined) return { ...whole, isBucket: false };
  const histogram = PARTS.test(name) ? known.get(name.replace(PARTS, '')) : undefined;
  return histogram?.type === 'histogram' ? { ...histogram, isBucket: name.endsWith('_bucket') } : undefined;
}

/** What is wrong with an expression; empty: nothing. */
function problemsOf(expression: string, texts: readonly string[] = []): readonly string[] {
  const { metrics, grouping } = usageOf(expression);
  const problems: string[] = metrics.length === 0 ? ['it names no metric'] : [];
  const offered = new Set(OF_SCRAPES);
  for (const { name, labels } of metrics) {
    const metric = name === 'up' ? { labels: new Set<string>(), isBucket: false } : metricNamed(name);
    if (metric === undefined) {
      problems.push(`there is no metric ${name}`);
      continue;
    }
    if (metric.labels === undefined) problems.push(`the labels of ${name} are not known`);
    const own = new Set([...(metric.labels ?? []), ...OF_SCRAPES, ...(metric.isBucket ? ['le'] : [])]);
    for (const label of own) offered.add(label);
    for (const label of labels) if (!own.has(label)) problems.push(`${name} has no label ${label}`);
  }
  for (const label of grouping) if (!offered.has(label)) problems.push(`no metric has the label ${label}`);
  // What an aggregation leaves is all that a text can name.
  const left =
    /^\s*(?:sum|topk|histogram_quantile)\b/.test(expression) && grouping.length > 0 ? grouping : [...offered];
  for (const text of texts)
    for (const [, label = ''] of text.matchAll(/\$labels\.(\w+)/g))
      if (!left.includes(label)) problems.push(`its text names the label ${label}`);
  return problems;
}

describe('expressions', () => {
  it('name their metrics and labels', () => {
    const text =
      'sum by (le, a) (rate(x_y_bucket{b!~"c|sum(d_e)", f="g{"}[5m] offset 1h)) / on (z) group_left (k) v:w > 0.5 or vector(0)';
    expect(usageOf(text)).toEqual({
      metrics: [
        { name: 'x_y_bucket', labels: ['b', 'f'] },
        { name: 'v:w', labels: [] },
      ],
      grouping: ['le', 'a', 'z', 'k'],
    });
  });

  it.each([
    ['mendlet_nothing_total > 0', 'there is no metric mendlet_nothing_total'],
    ['kubelet_evictions{pod="x"}', 'kubelet_evictions has no label pod'],
    ['sum by (pod) (kubelet_evictions)', 'no metric has the label pod'],
    ['kubelet_evictions_bucket', 'there is no metric kubelet_evictions_bucket'],
    ['vector(1)', 'it names no metric'],
  ])('that cannot be true are found: %s', (expression, problem) => {
    expect(problemsOf(expression)).toContain(problem);
  });

  it('with a text about a label that is summed away are found', () => {
    const texts = ['{{ $labels.eviction_signal }}'];
    expect(problemsOf('sum by (instance) (kubelet_evictions)', texts)).toHaveLength(1);
    expect(problemsOf('kubelet_evictions', texts)).toEqual([]);
  });
});

describe('the files of deploy', () => {
  it('use metrics that are registered, with their labels', () => {
    const problems = deployedExpressions().flatMap(({ where, expression, texts }) =>
      problemsOf(expression, texts).map((problem) => `${where}: ${problem}`),
    );
    expect(problems).toEqual([]);
  });

  it('have alerts that say what to do, each once', () => {
    const rules = readRules().groups.flatMap((group) => group.rules);
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Mendlet[A-Z]\w+$/);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description).not.toBe('');
    }
  });

  it('have panels that do not overlap', () => {
    const { panels, templating } = readDashboard();
    const cells = new Set<string>();
    for (const { title, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(cells.has(`${x} ${y}`), title).toBe(false);
          cells.add(`${x} ${y}`);
        }
      }
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(known.has(/^label_values\((\w+), /.exec(templating.list[1]?.query ?? '')?.[1] ?? '')).toBe(true);
  });
});
