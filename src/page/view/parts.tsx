/** Small parts that all of the page is made of. */
import type { VNode } from 'preact';
import { useContext } from 'preact/hooks';
import { BAR_CELLS, BAR_HEIGHT, barPaths, barWords, CELL_WIDTH } from '../bar.ts';
import type { Mood, PageNode, PageVerdict } from '../contract.ts';
import { visibleLine } from '../visible-text.ts';
import { HandsContext } from './hands.ts';

/** A text from outside, on one line: it cannot change the direction or the order of what stands around it. */
export function Text({ text }: { readonly text: string }): VNode {
  return <bdi>{visibleLine(text)}</bdi>;
}

/** A place that stays empty, with words for who does not see that. */
export function None({ words }: { readonly words: string }): VNode {
  return (
    <span class="none" title={words}>
      <span aria-hidden="true">–</span>
      <span class="unseen">{words}</span>
    </span>
  );
}

/** All states that have a mark; a dead feed makes each of them `stale`. */
export type Mark = Mood | PageNode['mood'] | PageVerdict['mood'] | 'paused' | 'note' | 'stale';

/** Strokes in a box of 16. */
const MARKS: Readonly<Record<Mark, string>> = {
  ok: 'M3.5 8.5l3 3 6-7',
  done: 'M3.5 8.5l3 3 6-7',
  ending: 'M8 3v8M4.5 8L8 11.5 11.5 8',
  starting: 'M8 13V5M4.5 8L8 4.5 11.5 8',
  unready: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5v11',
  healing: 'M12.6 6A5 5 0 1 0 13 9M13 2.8V6.2H9.6',
  waiting: 'M8 4.5V8l2.5 2M8 2.5a5.5 5.5 0 1 0 .01 0',
  troubled: 'M8 2.5L14 13H2zM8 6.5v3M8 11v.6',
  unknown: 'M5.8 6.2a2.2 2.2 0 1 1 3.3 1.9C8.3 8.6 8 9 8 9.8M8 12v.5',
  stopped: 'M4 4l8 8M12 4l-8 8',
  paused: 'M5.5 4v8M10.5 4v8',
  note: 'M8 8h.01M8 2.5a5.5 5.5 0 1 0 .01 0',
  stale: 'M5.8 6.2a2.2 2.2 0 1 1 3.3 1.9C8.3 8.6 8 9 8 9.8M8 12v.5',
};

export function Glyph({ mark }: { readonly mark: Mark }): VNode {
  return (
    <svg class={`glyph is-${mark}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={MARKS[mark]} />
    </svg>
  );
}

export const MOOD_WORDS: Readonly<Record<Mood, string>> = {
  done: 'done',
  ok: 'ok',
  ending: 'ending',
  starting: 'starting',
  unready: 'not ready',
  healing: 'healing',
  waiting: 'waiting',
  unknown: 'not heard',
  stopped: 'gave up',
};

/** The word of a mood; of a dead feed it is past. */
export function moodWord(mood: Mood, isDead: boolean): string {
  if (!isDead) return MOOD_WORDS[mood];
  return mood === 'stopped' ? 'had given up' : `was ${MOOD_WORDS[mood]}`;
}

/** A day in cells. The text alternative says the same in words. */
export function Bar({ bar }: { readonly bar: string }): VNode {
  const words = barWords(bar);
  return (
    <svg
      class="bar"
      viewBox={`0 0 ${BAR_CELLS * CELL_WIDTH} ${BAR_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={words}
    >
      <title>{words}</title>
      {barPaths(bar).map(({ cell, d }) => (
        <path key={cell} class={`cell-${cell}`} d={d} />
      ))}
    </svg>
  );
}

interface CopyProps {
  readonly command: string;
  /** What the command shows or does: "these deaths". */
  readonly of: string;
  /** Reached by keys in another way. */
  readonly isAside?: boolean;
}

/** Copies a command; the command is its tooltip and a part of its name. */
export function Copy({ command, of, isAside }: CopyProps): VNode {
  const hands = useContext(HandsContext);
  return (
    <button
      type="button"
      class="copy"
      title={visibleLine(command)}
      aria-label={`Copy the command for ${visibleLine(of)}: ${visibleLine(command)}`}
      tabIndex={isAside === true ? -1 : undefined}
      onClick={(event) => {
        event.stopPropagation();
        hands.copy(command);
      }}
    >
      <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />
      </svg>
      <span class="copy-word">copy</span>
    </button>
  );
}
