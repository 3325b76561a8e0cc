/** The log of a container, followed; of a dead one, the log that it left. */
import type { VNode } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { logsCommand } from '../commands.ts';
import { countOf, type LogChunk, type LogLines, NO_LINES, withLines } from '../log-lines.ts';
import { HandsContext } from './hands.ts';
import { memo } from './memo.tsx';
import { Copy, Text } from './parts.tsx';

export interface LogChoice {
  readonly pod: string;
  readonly container: string;
  /** Of the container that died before this one. */
  readonly previous: boolean;
}

interface LogsProps {
  readonly namespace: string;
  readonly choice: LogChoice;
  readonly onChoice: (choice: LogChoice | undefined) => void;
}

/** As near to the end as this, new lines are followed, px. */
const NEAR_END = 24;

export function Logs({ namespace, choice, onChoice }: LogsProps): VNode {
  const { pod, container, previous } = choice;
  const { log, end } = useLog(namespace, choice);
  const box = useRef<ScrollBox | null>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log]);
  useEffect(() => box.current?.focus(), []);
  const command = logsCommand({ kind: 'pod', namespace, name: pod, container }, { previous, follow: !previous });
  return (
    <section class="part-of-life" aria-label="Log">
      <div class="section-head">
        <h3>
          {previous ? 'Log before the death' : 'Log'}: <Text text={`${pod}/${container}`} />
        </h3>
        <Copy command={command} of="this log" />
        <button type="button" class="link" onClick={() => onChoice({ ...choice, previous: !previous })}>
          {previous ? 'of now' : 'previous'}
        </button>
        <button type="button" class="link" onClick={() => onChoice(undefined)}>
          close
        </button>
      </div>
      <div
        class="log"
        role="log"
        aria-live="off"
        aria-label={`Log of ${container} in ${pod}`}
        tabIndex={0}
        ref={(element) => {
          box.current = element;
        }}
        onScroll={({ currentTarget: at }) => {
          isAtEnd.current = at.scrollHeight - at.scrollTop - at.clientHeight < NEAR_END;
        }}
      >
        {log.dropped > 0 ? <p class="none">{log.dropped} older lines are not kept here.</p> : null}
        {log.chunks.map((chunk) => (
          <Chunk key={chunk.id} chunk={chunk} />
        ))}
        {end === undefined && log.chunks.length === 0 ? <p class="none">No line yet.</p> : null}
        {end === undefined ? null : (
          <p class="none">
            {countOf(log.chunks) === 0 && end === '' ? 'It said nothing.' : null}{' '}
            <Text text={end === '' ? 'End of the log.' : end} />
          </p>
        )}
      </div>
    </section>
  );
}

interface ScrollBox {
  scrollTop: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  focus(): void;
}

/** One text node for many lines: cheap to draw, and to take away. */
const Chunk = memo(function Chunk({ chunk }: { readonly chunk: LogChunk }): VNode {
  return <pre>{chunk.lines.join('\n')}</pre>;
});

/** @returns `end`: why no more lines come; empty: the log is complete; undefined: they do */
function useLog(
  namespace: string,
  { pod, container, previous }: LogChoice,
): { log: LogLines; end: string | undefined } {
  const hands = useContext(HandsContext);
  const [log, setLog] = useState(NO_LINES);
  const [end, setEnd] = useState<string | undefined>(undefined);
  useEffect(
    () =>
      hands.server.followLog(
        { namespace, pod, container, ...(previous ? { previous: 'true' } : { follow: 'true' }) },
        {
          lines: (lines) => setLog((known) => withLines(known, lines)),
          end: (problem) => setEnd(problem ?? ''),
        },
      ),
    [namespace, pod, container, previous],
  );
  return { log, end };
}
