/** What the marks, cells and keys mean. */
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { CELL_HEIGHTS, type Cell } from '../bar.ts';
import type { Mood } from '../contract.ts';
import { HandsContext } from './hands.ts';
import { Glyph, MOOD_WORDS } from './parts.tsx';
import { RECOVERY_MEANS } from './top.tsx';

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓', 'the row before, the row after (also k and j)'],
  ['Enter', 'open the life of a workload'],
  ['Esc', 'close what is open; empty the filter'],
  ['/', 'filter by name, pod or node'],
  ['n', 'only what is not well'],
  ['c', 'copy the kubectl command of the row'],
  ['?', 'this help'],
];

const CELLS: readonly (readonly [Cell, string])[] = [
  ['ok', 'well'],
  ['degraded', 'fewer ready than wanted'],
  ['healed', 'died and healed'],
  ['dead', 'dead'],
  ['unknown', 'not known'],
];

const MOODS: readonly (readonly [Mood, string])[] = [
  ['ok', 'runs and takes traffic'],
  ['starting', 'on its way for the first time'],
  ['unready', 'runs, and takes no traffic'],
  ['healing', 'died, and starts again'],
  ['waiting', 'cannot start'],
  ['unknown', 'its node is not heard'],
  ['stopped', 'nothing more is tried: it needs you'],
];

export function Help(): VNode {
  const hands = useContext(HandsContext);
  return (
    <dialog class="help" id="help" aria-labelledby="help-title" onClose={() => hands.showHelp(false)}>
      <div class="help-head">
        <h2 id="help-title">How to read this page</h2>
        <button type="button" class="plain" onClick={() => hands.showHelp(false)}>
          Close
        </button>
      </div>
      <h3>Marks</h3>
      <ul class="legend">
        {MOODS.map(([mood, words]) => (
          <li key={mood}>
            <Glyph mark={mood} /> <b>{MOOD_WORDS[mood]}</b> {words}
          </li>
        ))}
      </ul>
      <h3>The last 24 hours, a cell for 15 minutes</h3>
      <ul class="legend">
        {CELLS.map(([cell, words]) => (
          <li key={cell}>
            <svg class="bar sample" viewBox="0 0 15 20" aria-hidden="true" focusable="false">
              <path class={`cell-${cell}`} d={`M0 ${20 - CELL_HEIGHTS[cell] / 2}h15`} />
            </svg>{' '}
            {words}
          </li>
        ))}
      </ul>
      <h3>Time to recovery</h3>
      <p>{RECOVERY_MEANS} Nine of ten recoveries took at most the time named p90.</p>
      <h3>Keys</h3>
      <dl class="keys">
        {KEYS.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
