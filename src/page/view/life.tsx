/** The life of one workload, beside the table: why, deaths, figures, pods, logs, events. */
import type { ComponentChildren, VNode } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { eventsCommand, getCommand, historyCommand, topCommand, whyCommand } from '../commands.ts';
import type { Life, PageRow } from '../contract.ts';
import { Acts, useRights } from './acts.tsx';
import { Charts } from './charts.tsx';
import { Deaths } from './deaths.tsx';
import { Events } from './events.tsx';
import { Findings } from './findings.tsx';
import { HandsContext } from './hands.ts';
import { type LogChoice, Logs } from './logs.tsx';
import { Bar, Copy, Glyph, moodWord, Text } from './parts.tsx';
import { Pods } from './pods.tsx';
import { Next } from './row.tsx';

interface LifeProps {
  readonly id: string;
  /** As the feed has it now; undefined: it is gone. */
  readonly row: PageRow | undefined;
  readonly isDead: boolean;
  readonly mayWrite: boolean;
}

/** The element that gets the focus when a life opens. */
export const LIFE_ID = 'life';

export function LifePanel({ id, row, isDead, mayWrite }: LifeProps): VNode {
  const hands = useContext(HandsContext);
  const { life, problem, again } = useLife(id, row);
  const shown = row ?? life?.row;
  return (
    <aside class="life" id={LIFE_ID} aria-labelledby="life-title" tabIndex={-1}>
      <header class="life-head">
        <div>
          <p class="over">
            <Text text={shown === undefined ? '' : `${shown.kind} · ${shown.namespace}`} />
          </p>
          <h2 id="life-title">
            <Text text={shown?.name ?? id} />
          </h2>
        </div>
        <button type="button" class="plain close" onClick={() => hands.openLife(undefined)} aria-keyshortcuts="Escape">
          Close
        </button>
      </header>
      {row === undefined ? <p class="banner">This workload is gone.</p> : null}
      {shown === undefined ? null : <Now row={shown} isDead={isDead} mayWrite={mayWrite} />}
      {problem === undefined ? null : (
        <div class="banner" role="alert">
          <p>
            <Text text={problem} />
          </p>
          <button type="button" class="button" onClick={again}>
            Ask again
          </button>
        </div>
      )}
      {life === undefined ? problem === undefined ? <p class="loading">Asking the nodes…</p> : null : null}
      {life === undefined || shown === undefined ? null : (
        <Sections life={life} row={shown} isDead={isDead} mayWrite={mayWrite} />
      )}
    </aside>
  );
}

/** Loads again whenever the row says that something happened; one question at a time, however much happens. */
function useLife(
  id: string,
  row: PageRow | undefined,
): { readonly life: Life | undefined; readonly problem: string | undefined; readonly again: () => void } {
  const hands = useContext(HandsContext);
  const [life, setLife] = useState<Life | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [asked, setAsked] = useState(0);
  const course = useRef({ isUnderWay: false, isWanted: false, isOver: false });
  const happened = `${row?.mood} ${row?.restarts} ${row?.lastDeath?.at} ${row?.lastDeath?.healedMs}`;
  const ask = (): void => {
    const { current } = course;
    if (current.isOver || current.isUnderWay) {
      current.isWanted = true;
      return;
    }
    current.isUnderWay = true;
    current.isWanted = false;
    const ended = (show: () => void): void => {
      current.isUnderWay = false;
      if (current.isOver) return;
      show();
      if (current.isWanted) ask();
    };
    hands.server.life(id).then(
      (fresh) =>
        ended(() => {
          setLife(fresh);
          setProblem(undefined);
        }),
      (error: unknown) => ended(() => setProblem(error instanceof Error ? error.message : String(error))),
    );
  };
  useEffect(ask, [id, happened, asked]);
  useEffect(
    () => () => {
      course.current.isOver = true;
    },
    [],
  );
  return { life, problem, again: () => setAsked(asked + 1) };
}

interface NowProps {
  readonly row: PageRow;
  readonly isDead: boolean;
  readonly mayWrite: boolean;
}

function Now({ row, isDead, mayWrite }: NowProps): VNode {
  const mark = isDead ? 'stale' : row.mood;
  const { rights, problem } = useRights(row.namespace, mayWrite);
  return (
    <section class="now" aria-label="Now">
      <p class={`state is-${mark}`}>
        <Glyph mark={mark} />
        <b>{moodWord(row.mood, isDead)}</b>
        <span>
          {row.ready} of {row.wanted} ready
        </span>
        <Copy command={getCommand(row)} of={row.name} />
      </p>
      <div class="now-next">
        <Next row={row} />
      </div>
      <div class="day">
        <Bar bar={row.bar} />
        <p class="axis" aria-hidden="true">
          <span>24 h ago</span>
          <span>12 h</span>
          <span>now</span>
        </p>
      </div>
      <Acts row={row} rights={rights} problem={problem} mayWrite={mayWrite} isDead={isDead} />
    </section>
  );
}

interface SectionsProps extends NowProps {
  readonly life: Life;
}

function Sections({ life, row, isDead, mayWrite }: SectionsProps): VNode {
  const [log, setLog] = useState<LogChoice | undefined>(undefined);
  return (
    <>
      <Missing texts={life.missing ?? []} />
      <Section title="Why" command={whyCommand(row)}>
        <Findings findings={life.findings} />
      </Section>
      <Section title="Deaths" command={historyCommand(row)}>
        <Deaths deaths={life.deaths} namespace={row.namespace} />
      </Section>
      {life.series === undefined ? null : (
        <Section title="Last 24 hours" command={topCommand(row)}>
          <Charts series={life.series} deaths={life.deaths} />
        </Section>
      )}
      <Section title="Pods" command={getCommand(row)}>
        <Pods row={row} isDead={isDead} mayWrite={mayWrite} onLog={setLog} />
      </Section>
      {log === undefined ? null : (
        <Logs
          key={`${log.pod}/${log.container}/${log.previous}`}
          namespace={row.namespace}
          choice={log}
          onChoice={setLog}
        />
      )}
      <Section title="Events" command={eventsCommand(row)}>
        <Events events={life.events} />
      </Section>
    </>
  );
}

/** What could not be had. One thing is told at once, more of them behind their number. */
function Missing({ texts }: { readonly texts: readonly string[] }): VNode | null {
  const [only, ...others] = texts;
  if (only === undefined) return null;
  if (others.length === 0)
    return (
      <p class="missing">
        <Glyph mark="unknown" /> <Text text={only} />
      </p>
    );
  return (
    <details class="missing">
      <summary>
        <Glyph mark="unknown" /> {texts.length} things could not be had
      </summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>
            <Text text={text} />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface SectionProps {
  readonly title: string;
  readonly command: string;
  readonly children: ComponentChildren;
}

function Section({ title, command, children }: SectionProps): VNode {
  return (
    <section class="part-of-life" aria-label={title}>
      <div class="section-head">
        <h3>{title}</h3>
        <Copy command={command} of={title.toLowerCase()} />
      </div>
      {children}
    </section>
  );
}
