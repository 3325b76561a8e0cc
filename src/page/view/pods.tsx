/** The pods of a workload, with their containers: logs, and restarts of one of them. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { whyCommand } from '../commands.ts';
import type { PagePod, PageRow } from '../contract.ts';
import { countWords } from '../words.ts';
import { Confirm, type Focusable, refusal, useRights } from './acts.tsx';
import type { LogChoice } from './logs.tsx';
import { Copy, Glyph, moodWord, Text } from './parts.tsx';

interface PodsProps {
  readonly row: PageRow;
  readonly isDead: boolean;
  readonly mayWrite: boolean;
  readonly onLog: (choice: LogChoice) => void;
}

export function Pods({ row, isDead, mayWrite, onLog }: PodsProps): VNode {
  const known = useRights(row.namespace, mayWrite);
  const reason = refusal('restart', 'pod', known, mayWrite);
  if (row.pods.length === 0) return <p class="none">There is no pod.</p>;
  return (
    <>
      <ul class="pods">
        {row.pods.map((pod) => (
          <Pod key={pod.name} pod={pod} namespace={row.namespace} isDead={isDead} reason={reason} onLog={onLog} />
        ))}
      </ul>
      {(row.podsLeftOut ?? 0) > 0 ? <p class="none">and {countWords(row.podsLeftOut ?? 0, 'more pod')}</p> : null}
    </>
  );
}

interface PodProps {
  readonly pod: PagePod;
  readonly namespace: string;
  readonly isDead: boolean;
  /** Why it cannot be restarted; undefined: it can. */
  readonly reason: string | undefined;
  readonly onLog: (choice: LogChoice) => void;
}

function Pod({ pod, namespace, isDead, reason, onLog }: PodProps): VNode {
  /** The pod is `''`. */
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const opener = useRef<Focusable | null>(null);
  const ask = (what: string, button: Focusable): void => {
    opener.current = button;
    setAsked(what);
  };
  const mark = isDead ? 'stale' : pod.mood;
  const subject = { kind: 'pod', namespace, name: pod.name };
  return (
    <li class={`pod is-${mark}`}>
      <p class="pod-name">
        <Glyph mark={mark} />
        <b>
          <Text text={pod.name} />
        </b>
        <span class="word">{moodWord(pod.mood, isDead)}</span>
        <Copy command={whyCommand(subject)} of={`pod ${pod.name}`} />
        <RestartButton of={`pod ${pod.name}`} reason={reason} onClick={(button) => ask('', button)} />
      </p>
      <small>
        {pod.node === undefined ? 'on no node yet' : <Text text={pod.node} />} · {countWords(pod.restarts, 'restart')}
        {pod.why === undefined ? null : (
          <>
            {' · '}
            <Text text={pod.why} />
          </>
        )}
      </small>
      <ul class="containers">
        {pod.containers.map((container) => (
          <li key={container}>
            <Text text={container} />
            <LogButtons pod={pod.name} container={container} onLog={onLog} />
            {pod.containers.length > 1 ? (
              <RestartButton
                of={`${container} in ${pod.name}`}
                reason={reason}
                onClick={(button) => ask(container, button)}
              />
            ) : null}
          </li>
        ))}
      </ul>
      {asked === undefined ? null : (
        <Confirm
          key={asked}
          act="restart"
          subject={asked === '' ? subject : { ...subject, container: asked }}
          pods={[pod.name]}
          onEnd={() => {
            setAsked(undefined);
            opener.current?.focus();
          }}
        />
      )}
    </li>
  );
}

interface LogButtonsProps extends Pick<PodProps, 'onLog'> {
  readonly pod: string;
  readonly container: string;
}

function LogButtons({ pod, container, onLog }: LogButtonsProps): VNode {
  return (
    <>
      <button
        type="button"
        class="link"
        aria-label={`Log of ${container} in ${pod}`}
        onClick={() => onLog({ pod, container, previous: false })}
      >
        log
      </button>
      <button
        type="button"
        class="link"
        aria-label={`Previous log of ${container} in ${pod}, of the container that died`}
        onClick={() => onLog({ pod, container, previous: true })}
      >
        previous
      </button>
    </>
  );
}

interface RestartButtonProps {
  readonly of: string;
  readonly reason: string | undefined;
  readonly onClick: (button: Focusable) => void;
}

function RestartButton({ of, reason, onClick }: RestartButtonProps): VNode {
  return (
    <button
      type="button"
      class="link"
      aria-label={`Restart ${of}`}
      aria-disabled={reason !== undefined}
      title={reason}
      onClick={(event) => {
        if (reason === undefined) onClick(event.currentTarget);
      }}
    >
      restart
    </button>
  );
}
