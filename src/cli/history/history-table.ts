/** Prints the deaths of a pod as a table, oldest first. Pure. */
import type { ContainerHistory, DeathRecord, PodHistory } from '../../api/index.ts';
import { visibleLine } from '../../lib/index.ts';
import { backOffText, exitText, ranText, whyText } from './death-text.ts';
import { LEAST_WHY_CHARACTERS, WHY_CHARACTERS } from './limits.ts';

export interface TableOptions {
  /** Adds times and images, and does not cut WHY. */
  readonly wide: boolean;
  readonly container?: string;
  /** Wall ms. */
  readonly now: number;
  /** Width of the terminal in characters; undefined: there is none. */
  readonly columns: number | undefined;
}

const GAP = '   ';

/** Lines without line ends: a table for each life of the pod, the newest first. */
export function historyLines(items: readonly PodHistory[], options: TableOptions): readonly string[] {
  const isOnly = items.length === 1 && items[0]?.goneAt === undefined;
  return items.flatMap((item, index) => {
    const head = isOnly && !options.wide ? [] : [headOf(item, options.now)];
    return [...(index === 0 ? [] : ['']), ...head, ...tableOf(item, options)];
  });
}

function headOf({ metadata, nodeName, goneAt }: PodHistory, now: number): string {
  const gone = goneAt === undefined ? '' : `, gone ${ageText(goneAt, now)}`;
  return `pod/${metadata.name} (uid ${metadata.uid}) on node ${nodeName}${gone}:`;
}

function tableOf(item: PodHistory, options: TableOptions): readonly string[] {
  const histories = item.containers.filter(({ name }) => options.container === undefined || name === options.container);
  const rows = histories
    .flatMap((history) => history.deaths.map((death) => ({ history, death })))
    .toSorted((a, b) => (a.death.finishedAt < b.death.finishedAt ? -1 : 1))
    .map(({ history, death }) => rowOf(history, death, options));
  if (rows.length === 0) {
    return [`No death of ${options.container === undefined ? 'it' : `its container ${options.container}`} is known.`];
  }
  const heads = ['#', 'CONTAINER', 'WHEN', 'RAN', 'EXIT', 'REASON', 'WHY', 'BACK-OFF', 'RUNG'];
  const lines = alignedLines([[...heads, ...(options.wide ? ['FINISHED', 'IMAGE'] : [])], ...rows], WHY, options);
  return [...lines, ...histories.flatMap(forgottenText)];
}

function rowOf(history: ContainerHistory, death: DeathRecord, { wide, now }: TableOptions): readonly string[] {
  const cells = [
    `${death.number}`,
    history.name,
    ageText(death.finishedAt, now),
    ranText(death),
    exitText(death),
    death.survived === true ? 'OOMKilled (survived)' : death.reason,
    whyText(death) || '-',
    backOffText(death),
    death.rung ?? '-',
  ];
  return (wide ? [...cells, death.finishedAt, death.image ?? '-'] : cells).map(visibleLine);
}

const WHY = 6;

/** Aligns the columns; the column `why` gets the rest of the line. */
export function alignedLines(
  rows: readonly (readonly string[])[],
  why: number,
  options: TableOptions,
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const others = widths.reduce((sum, width, column) => sum + (column === why ? 0 : width + GAP.length), 0);
  const room =
    options.columns === undefined ? WHY_CHARACTERS : Math.max(LEAST_WHY_CHARACTERS, options.columns - others);
  if (!options.wide) widths[why] = Math.min(widths[why] ?? 0, room);
  return rows.map((row) =>
    row
      .map((cell, column) => cut(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function forgottenText({ name, total, deaths }: ContainerHistory): readonly string[] {
  const forgotten = total - deaths.length;
  if (forgotten === 0) return [];
  return [
    `${forgotten} more ${forgotten === 1 ? 'death' : 'deaths'} of container ${name} after its first ${forgotten === 1 ? 'is' : 'are'} forgotten.`,
  ];
}

/** "5m ago", in a unit that fits. @param now wall ms */
export function ageText(time: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (seconds < 120) return `${seconds}s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return `${minutes}m${seconds % 60 === 0 ? '' : `${seconds % 60}s`} ago`;
  if (minutes < 180) return `${minutes}m ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ago` : `${Math.floor(hours / 24)}d ago`;
}
