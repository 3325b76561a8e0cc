/** What changed between two overviews, as lines for a log or a pipe. Pure. */
import { visibleLine } from '../../lib/index.ts';
import type { Overview, WorkloadRow } from '../../overview/index.ts';
import { deathText, nextText, nodeText, SIGNS } from './row-cells.ts';
import { rowKey } from './view-state.ts';

/**
 * The verdict when it changes, and each row whose state or last death did.
 * @param before absent: all rows that are not well
 */
export function changeLines(before: Overview | undefined, after: Overview): readonly string[] {
  const known = new Map((before?.rows ?? []).map((row) => [rowKey(row), row]));
  const rows = after.rows.filter((row) => {
    const old = known.get(rowKey(row));
    if (before === undefined) return row.mood !== 'ok' && row.mood !== 'done';
    return old === undefined || signature(old) !== signature(row);
  });
  const there = new Set(after.rows.map(rowKey));
  const gone = (before?.rows ?? []).filter((row) => !there.has(rowKey(row)));
  const nodes = after.nodes.filter(
    (node) => (before?.nodes.find(({ name }) => name === node.name)?.mood ?? 'ok') !== node.mood,
  );
  return [
    ...(before?.verdict.text === after.verdict.text ? [] : [after.verdict.text]),
    ...nodes.map((node) => `node ${nodeText(node)}`),
    ...rows.map((row) => rowText(row, after.at)),
    ...gone.map(({ namespace, kind, name }) => `- ${namespace} ${kind}/${name} is gone`),
  ].map(visibleLine);
}

/** What is worth a line; countdowns are not. */
function signature({ mood, why, ready, wanted, lastDeath, paused }: WorkloadRow): string {
  return JSON.stringify([mood, why, ready, wanted, lastDeath?.at, lastDeath?.words, paused]);
}

function rowText(row: WorkloadRow, now: number): string {
  const { mood, namespace, kind, name, ready, wanted } = row;
  const death = row.lastDeath === undefined ? '' : `; last death ${deathText(row, now)}`;
  return `${SIGNS[mood]} ${namespace} ${kind}/${name} ${ready}/${wanted}: ${nextText(row, now)}${death}`;
}
