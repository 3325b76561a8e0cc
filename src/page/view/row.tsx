/** One workload on one line. */
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { whyCommand } from '../commands.ts';
import type { PageDeath, PageRow } from '../contract.ts';
import { spanWords } from '../words.ts';
import { Ago, Countdown } from './clock.tsx';
import { HandsContext } from './hands.ts';
import { memo } from './memo.tsx';
import { Bar, Copy, Glyph, moodWord, None, Text } from './parts.tsx';

export interface RowProps {
  readonly row: PageRow;
  /** The feed is dead: nothing may look well. */
  readonly isDead: boolean;
  readonly isOpen: boolean;
  /** One row of the table is reached by the Tab key, the others by arrows. */
  readonly isTabStop: boolean;
}

export const Row = memo(function Row({ row, isDead, isOpen, isTabStop }: RowProps): VNode {
  const hands = useContext(HandsContext);
  const mark = isDead ? 'stale' : row.mood;
  return (
    <tr role="row" class={`row is-${mark}${isOpen ? ' is-open' : ''}`} onClick={() => hands.openLife(row.id)}>
      <th role="rowheader" scope="row" class="c-name">
        <Glyph mark={mark} />
        <span class="name-lines">
          <button type="button" class="name" data-row={row.id} aria-expanded={isOpen} tabIndex={isTabStop ? 0 : -1}>
            <Text text={row.name} />
          </button>
          <small>
            <Text text={row.namespace} /> · {row.kind}
          </small>
        </span>
      </th>
      <td role="cell" class="c-ready">
        <b>
          {row.ready}
          <span class="of">/{row.wanted}</span>
        </b>
        <small class="word">{moodWord(row.mood, isDead)}</small>
      </td>
      <td role="cell" class="c-bar">
        <Bar bar={row.bar} />
      </td>
      <Restarts restarts={row.restarts} day={row.restartsDay} />
      <td role="cell" class="c-death">
        {row.lastDeath === undefined ? <None words="no death is known" /> : <Death death={row.lastDeath} />}
      </td>
      <td role="cell" class="c-next">
        <Next row={row} />
      </td>
      <td role="cell" class={`c-traffic${row.endpoints === 0 ? ' is-none' : ''}`}>
        <Traffic endpoints={row.endpoints} />
      </td>
      <td role="cell" class="c-copy">
        <Copy command={whyCommand(row)} of={`${row.namespace}/${row.name}`} isAside />
      </td>
    </tr>
  );
});

/** @param day undefined: only the sum is known */
function Restarts({ restarts, day }: { readonly restarts: number; readonly day: number | undefined }): VNode {
  return (
    <td role="cell" class={`c-restarts${restarts === 0 && (day ?? 0) === 0 ? ' is-zero' : ''}`}>
      <b title={day === undefined ? 'in all' : 'in the last 24 hours'}>{day ?? restarts}</b>
      {day === undefined || restarts <= day ? null : <small>{restarts} in all</small>}
    </td>
  );
}

function Death({ death }: { readonly death: PageDeath }): VNode {
  return (
    <>
      <span class="line">
        <Text text={death.words} />
      </span>
      <small class="line">
        <Ago at={death.at} />
        {death.healedMs === undefined ? (
          <span class="not-back"> · not back yet</span>
        ) : (
          <span class="back"> · back in {spanWords(death.healedMs)}</span>
        )}
      </small>
    </>
  );
}

/** What happens next by itself, or why nothing does. */
export function Next({ row }: { readonly row: Pick<PageRow, 'why' | 'next' | 'paused'> }): VNode {
  const { why, next, paused } = row;
  return (
    <>
      {paused === true ? (
        <span class="line paused">
          <Glyph mark="paused" /> healing is paused
        </span>
      ) : null}
      {next === undefined ? null : (
        <span class="line next">
          <Text text={next.words} />
          {next.at === undefined ? null : (
            <>
              {' '}
              <Countdown at={next.at} />
            </>
          )}
        </span>
      )}
      {why === undefined ? null : (
        <small class="line why">
          <Text text={why} />
        </small>
      )}
      {why === undefined && next === undefined && paused !== true ? <None words="nothing to do" /> : null}
    </>
  );
}

function Traffic({ endpoints }: Pick<PageRow, 'endpoints'>): VNode {
  if (endpoints === undefined) return <None words="no service chooses these pods" />;
  return (
    <span title={`${endpoints} of its addresses take traffic now`}>
      <b>{endpoints}</b> <small>{endpoints === 0 ? 'no traffic' : 'serving'}</small>
    </span>
  );
}
