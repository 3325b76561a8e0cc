/** All workloads in one table. Arrow keys move between its rows. */
import type { VNode } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { PageRow } from '../contract.ts';
import { whyCommand } from '../commands.ts';
import { rowAfter } from '../row-filter.ts';
import { HandsContext } from './hands.ts';
import { Row } from './row.tsx';

interface TableProps {
  readonly rows: readonly PageRow[];
  readonly isDead: boolean;
  readonly openId: string | undefined;
}

const HEADINGS: readonly (readonly [string, string])[] = [
  ['c-name', 'Workload'],
  ['c-ready', 'Ready'],
  ['c-bar', 'Last 24 hours'],
  ['c-restarts', 'Restarts'],
  ['c-death', 'Last death'],
  ['c-next', 'What happens next'],
  ['c-traffic', 'Traffic'],
  ['c-copy', 'Command'],
];

const PAGE_ROWS = 12;

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  j: 1,
  k: -1,
  PageDown: PAGE_ROWS,
  PageUp: -PAGE_ROWS,
  Home: -Infinity,
  End: Infinity,
};

export function Table({ rows, isDead, openId }: TableProps): VNode {
  const hands = useContext(HandsContext);
  const [active, setActive] = useState<string | undefined>(undefined);
  const tabStop = rows.some(({ id }) => id === active) ? active : rows[0]?.id;
  // A row that moves to another place loses the focus on the way.
  const held = hands.focusedRow();
  useLayoutEffect(() => {
    if (held !== undefined && hands.focusedRow() === undefined) hands.refocusRow(held);
  }, [rows]);
  const onKeyDown = (event: KeyPress): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    const row = rows.find(({ id }) => id === tabStop);
    if (step !== undefined) {
      const next = rowAfter(rows, tabStop, step);
      setActive(next);
      if (next !== undefined) hands.focusRow(next);
    } else if (event.key === 'c' && row !== undefined) hands.copy(whyCommand(row));
    else return;
    event.preventDefault();
  };
  return (
    <table role="table" class="workloads" aria-labelledby="workloads-caption">
      <caption id="workloads-caption" class="unseen">
        Workloads, the worst first
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          {HEADINGS.map(([name, words]) => (
            <th key={name} role="columnheader" scope="col" class={name}>
              {name === 'c-copy' ? <span class="unseen">{words}</span> : words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody
        role="rowgroup"
        onKeyDown={onKeyDown}
        onFocusIn={(event) => {
          const id = rowOf(event.target);
          if (id !== undefined) setActive(id);
        }}
      >
        {rows.map((row) => (
          <Row key={row.id} row={row} isDead={isDead} isOpen={row.id === openId} isTabStop={row.id === tabStop} />
        ))}
      </tbody>
    </table>
  );
}

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  preventDefault(): void;
}

function rowOf(target: unknown): string | undefined {
  return (target as { readonly dataset?: { readonly row?: string } } | null)?.dataset?.row;
}
