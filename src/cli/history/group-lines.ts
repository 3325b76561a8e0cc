/** Prints the deaths of all pods of a workload in one table, oldest first, with the rollouts between them. Pure. */
import type { ContainerHistory, DeathRecord, PodHistory } from '../../api/index.ts';
import { type Rollout, rolloutText } from '../../diagnosis/index.ts';
import { visibleLine } from '../../lib/index.ts';
import { backOffText, exitText, ranText, whyText } from './death-text.ts';
import { ageText, alignedLines, type TableOptions } from './history-table.ts';
import { MAX_GROUP_ROWS } from './limits.ts';

type Entry = { readonly at: string } & (
  | { readonly life: PodHistory; readonly history: ContainerHistory; readonly death: DeathRecord }
  | { readonly rollout: Rollout }
);

const HEADS = ['WHEN', 'POD', '#', 'CONTAINER', 'RAN', 'EXIT', 'REASON', 'WHY', 'BACK-OFF', 'RUNG'] as const;
const WHY = HEADS.indexOf('WHY');

/** Lines without line ends; none without deaths and rollouts. */
export function groupLines(
  items: readonly PodHistory[],
  rollouts: readonly Rollout[],
  options: TableOptions,
): readonly string[] {
  const all = entriesOf(items, rollouts, options);
  if (all.length === 0) return [];
  const shown = all.slice(-MAX_GROUP_ROWS);
  const left = all.length - shown.length;
  const deaths = shown.flatMap((entry) => ('death' in entry ? [rowOf(entry, options)] : []));
  const wide = options.wide ? ['FINISHED', 'NODE', 'IMAGE'] : [];
  const [head = '', ...rows] = alignedLines([[...HEADS, ...wide], ...deaths], WHY, options);
  let next = 0;
  const lines = shown.map((entry) => {
    if ('death' in entry) return rows[next++] ?? '';
    return visibleLine(`${ageText(entry.at, options.now)}: ${rolloutText(entry.rollout)}`);
  });
  const untimed = rollouts.filter(({ at }) => at === undefined);
  return [
    ...(left === 0 ? [] : [`${left} earlier ones are not shown; -o json has them.`]),
    ...(deaths.length === 0 ? [] : [head]),
    ...lines,
    ...untimed.map((rollout) => visibleLine(`At an unknown time: ${rolloutText(rollout)}`)),
    ...items.flatMap((life) => forgotten(life, options)),
  ];
}

function entriesOf(
  items: readonly PodHistory[],
  rollouts: readonly Rollout[],
  { container }: TableOptions,
): readonly Entry[] {
  const deaths = items.flatMap((life) =>
    life.containers
      .filter(({ name }) => container === undefined || name === container)
      .flatMap((history) => history.deaths.map((death) => ({ at: death.finishedAt, life, history, death }))),
  );
  const timed = rollouts.flatMap((rollout) => (rollout.at === undefined ? [] : [{ at: rollout.at, rollout }]));
  return [...deaths, ...timed].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function rowOf(
  { life, history, death }: Extract<Entry, { readonly death: DeathRecord }>,
  { wide, now }: TableOptions,
): readonly string[] {
  const cells = [
    ageText(death.finishedAt, now),
    `${life.metadata.name}${life.goneAt === undefined ? '' : ' (gone)'}`,
    `${death.number}`,
    history.name,
    ranText(death),
    exitText(death),
    death.survived === true ? 'OOMKilled (survived)' : death.reason,
    whyText(death) || '-',
    backOffText(death),
    death.rung ?? '-',
  ];
  return (wide ? [...cells, death.finishedAt, life.nodeName, death.image ?? '-'] : cells).map(visibleLine);
}

function forgotten({ metadata, containers }: PodHistory, { container }: TableOptions): readonly string[] {
  return containers
    .filter(({ name }) => container === undefined || name === container)
    .flatMap(({ name, total, deaths }) =>
      total === deaths.length
        ? []
        : [
            `Of pod ${metadata.name} ${total - deaths.length} deaths of container ${name} after its first are forgotten.`,
          ],
    );
}
