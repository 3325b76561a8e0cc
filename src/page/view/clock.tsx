/** Ages and countdowns: texts that change with time alone, each by itself, and only when it reads differently. */
import { createContext, type VNode } from 'preact';
import { useContext, useEffect, useReducer, useRef } from 'preact/hooks';
import { agoWords, countdownWords, instantWords, machineInstant } from '../words.ts';

/** The time of the server, as well as the page knows it. */
export interface PageClock {
  /** Wall ms. */
  now(): number;
  /** Calls once a second; returns what ends that. */
  everySecond(tick: () => void): () => void;
}

/** A clock that stands: on the server, a page is of one moment. */
export function standingClock(at: number): PageClock {
  return { now: () => at, everySecond: () => () => {} };
}

export const Clock = createContext<PageClock>(standingClock(0));

/** A text that depends on the time. @param write pure */
export function useTimed(write: (now: number) => string): string {
  const clock = useContext(Clock);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const text = write(clock.now());
  const shown = useRef(text);
  const writer = useRef(write);
  shown.current = text;
  writer.current = write;
  useEffect(
    () =>
      clock.everySecond(() => {
        if (writer.current(clock.now()) !== shown.current) redraw(undefined);
      }),
    [clock],
  );
  return text;
}

/** "3 min ago", with the whole date for who points at it. */
export function Ago({ at }: { readonly at: number }): VNode {
  const text = useTimed((now) => agoWords(now - at));
  return (
    <time dateTime={machineInstant(at)} title={instantWords(at)}>
      {text}
    </time>
  );
}

/** "in 38 s" */
export function Countdown({ at }: { readonly at: number }): VNode {
  const text = useTimed((now) => countdownWords(at - now));
  return (
    <time class="countdown" dateTime={machineInstant(at)} title={instantWords(at)}>
      {text}
    </time>
  );
}
