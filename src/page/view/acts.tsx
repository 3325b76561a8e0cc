/** What the user may do to a workload, a pod or a container. Each act is confirmed, and greyed with the reason where it may not be. */
import type { VNode } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { actCommand, isRestartable, podsOf, type Subject } from '../commands.ts';
import { type ActName, ACTS, type PageRow, type Rights } from '../contract.ts';
import { HandsContext } from './hands.ts';
import { Copy, Text } from './parts.tsx';

export const READ_ONLY = 'This page is read-only. Open it by "mendlet dashboard --write" to act.';

interface KnownRights {
  readonly rights: Rights | undefined;
  readonly problem: string | undefined;
}

/** Asks what the user may do in the namespace. */
export function useRights(namespace: string, mayWrite: boolean): KnownRights {
  const hands = useContext(HandsContext);
  const [known, setKnown] = useState<KnownRights>({ rights: undefined, problem: undefined });
  useEffect(() => {
    if (!mayWrite) return undefined;
    let isWanted = true;
    hands.server.rights(namespace).then(
      (rights) => {
        if (isWanted) setKnown({ rights, problem: undefined });
      },
      (error: unknown) => {
        if (isWanted) setKnown({ rights: undefined, problem: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [namespace, mayWrite]);
  return known;
}

/** @returns why the act is not possible; undefined: it is */
export function refusal(act: ActName, kind: string, known: KnownRights, mayWrite: boolean): string | undefined {
  if (!mayWrite) return READ_ONLY;
  if (act === 'restart' && !isRestartable(kind)) return `A ${kind} is not restarted; its pods are.`;
  if (known.problem !== undefined) return known.problem;
  if (known.rights === undefined) return 'Your rights are being asked for.';
  const right = known.rights[act];
  return right.allowed ? undefined : (right.reason ?? 'You may not do this here.');
}

const LABELS: Readonly<Record<ActName, string>> = {
  restart: 'Restart',
  'try-now': 'Try now',
  pause: 'Pause healing',
  resume: 'Resume healing',
};

const MEANINGS: Readonly<Record<ActName, string>> = {
  restart: 'Its pods restart in place, one after another.',
  'try-now': 'What waits in a back-off starts at once.',
  pause: 'Nothing of it is restarted until healing is resumed.',
  resume: 'What died meanwhile is healed again.',
};

interface ActsProps extends KnownRights {
  readonly row: PageRow;
  readonly mayWrite: boolean;
  readonly isDead: boolean;
}

export function Acts({ row, rights, problem, mayWrite }: ActsProps): VNode {
  const [asked, setAsked] = useState<ActName | undefined>(undefined);
  const opener = useRef<Focusable | null>(null);
  const offered = ACTS.filter((act) =>
    act === 'pause' ? row.paused !== true : act !== 'resume' || row.paused === true,
  );
  const reasons = new Map(offered.map((act) => [act, refusal(act, row.kind, { rights, problem }, mayWrite)]));
  const told = [...new Set(reasons.values())].filter((reason) => reason !== undefined);
  return (
    <div class="acts">
      <div class="act-buttons" role="group" aria-label="Acts">
        {offered.map((act) => (
          <button
            key={act}
            type="button"
            class="button"
            aria-disabled={reasons.get(act) !== undefined}
            aria-describedby={reasons.get(act) === undefined ? undefined : 'act-reasons'}
            aria-expanded={asked === act}
            onClick={(event) => {
              opener.current = event.currentTarget;
              setAsked(reasons.get(act) === undefined && asked !== act ? act : undefined);
            }}
          >
            {LABELS[act]}
          </button>
        ))}
      </div>
      {told.length === 0 ? null : (
        <p id="act-reasons" class="reasons">
          <Text text={told.join(' ')} />
        </p>
      )}
      {asked === undefined ? null : (
        <Confirm
          key={asked}
          act={asked}
          subject={{ kind: row.kind, namespace: row.namespace, name: row.name }}
          pods={podsOf(row)}
          onEnd={() => {
            setAsked(undefined);
            opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** What opened a step gets the focus back at its end. */
export interface Focusable {
  focus(): void;
}

interface ConfirmProps {
  readonly act: ActName;
  readonly subject: Subject;
  readonly pods: readonly string[] | undefined;
  readonly onEnd: () => void;
}

/** The step between a click and the act. It takes the focus; Escape ends it. */
export function Confirm({ act, subject, pods, onEnd }: ConfirmProps): VNode {
  const hands = useContext(HandsContext);
  const [isUnderWay, setUnderWay] = useState(false);
  const cancel = useRef<Focusable | null>(null);
  useEffect(() => cancel.current?.focus(), []);
  const command = actCommand(act, subject, pods);
  const { kind, namespace, name, container } = subject;
  const carryOut = (): void => {
    setUnderWay(true);
    // Its answer, good or bad, is the notice of the page.
    void hands.server
      .act({ act, kind, namespace, name, ...(container === undefined ? {} : { container }) })
      .catch(() => '')
      .then(onEnd);
  };
  return (
    <div
      class="confirm"
      role="group"
      aria-label={`Confirm: ${LABELS[act]}`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onEnd();
      }}
    >
      <p>
        <b>
          {LABELS[act]}: <Text text={`${kind}/${name}${container === undefined ? '' : `, container ${container}`}`} />?
        </b>{' '}
        {container !== undefined
          ? 'This container alone is restarted.'
          : kind === 'pod' && act === 'restart'
            ? 'The pod restarts in place.'
            : MEANINGS[act]}
      </p>
      {command === undefined ? null : (
        <p class="command">
          <code>
            <Text text={command} />
          </code>
          <Copy command={command} of={LABELS[act]} />
        </p>
      )}
      <p class="confirm-buttons">
        <button type="button" class="button is-sure" disabled={isUnderWay} onClick={carryOut}>
          {isUnderWay ? 'Asking…' : LABELS[act]}
        </button>
        <button
          type="button"
          class="button"
          ref={(element) => {
            cancel.current = element;
          }}
          onClick={onEnd}
        >
          Cancel
        </button>
      </p>
    </div>
  );
}
