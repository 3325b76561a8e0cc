/** The kubectl command that shows or does the same as the page. Names are quoted for a POSIX shell. Pure. */
import type { ActName, PageRow } from './contract.ts';

/** What a command is about. */
export interface Subject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Of a pod. */
  readonly container?: string;
}

/** Whose death it was. */
export interface Death {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Kinds whose pods `kubectl restart` restarts. */
const RESTARTABLE: readonly string[] = ['pod', 'deploy', 'sts', 'ds', 'rs'];

/** Kinds whose pause holds for pods that are made later. */
const PAUSABLE: readonly string[] = ['deploy', 'sts', 'ds'];
const HEALING_PAUSED = 'mendlet.dev/healing-paused';
const TRY_NOW = 'mendlet.dev/try-now';

/** The word as one argument of a POSIX shell, whatever is in it. */
export function quoted(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function command(...words: readonly string[]): string {
  return words.join(' ');
}

function target({ kind, name }: Subject): string {
  return quoted(`${kind}/${name}`);
}

function inNamespace({ namespace }: Pick<Subject, 'namespace'>): string {
  return `-n ${quoted(namespace)}`;
}

export function getCommand(subject: Subject): string {
  return command('kubectl get', target(subject), inNamespace(subject), '-o wide');
}

export function whyCommand(subject: Subject): string {
  return command('kubectl why', target(subject), inNamespace(subject));
}

export function historyCommand(subject: Subject): string {
  return command('kubectl history', target(subject), inNamespace(subject));
}

/** All facts of the last death of a container. */
export function lastDeathCommand({ namespace, pod, container }: Death): string {
  return command(
    'kubectl history',
    quoted(`pod/${pod}`),
    inNamespace({ namespace }),
    '-c',
    quoted(container),
    '--death -1',
  );
}

/** The deaths of a container with their full texts. */
export function deathsCommand({ namespace, pod, container }: Death): string {
  return command(
    'kubectl history',
    quoted(`pod/${pod}`),
    inNamespace({ namespace }),
    '-c',
    quoted(container),
    '-o wide',
  );
}

export function eventsCommand(subject: Subject): string {
  return command('kubectl events', inNamespace(subject), '--for', target(subject));
}

export function topCommand({ namespace, name, kind }: Subject): string {
  return kind === 'pod'
    ? command('kubectl top pod', quoted(name), inNamespace({ namespace }), '--containers')
    : command('kubectl top pods', inNamespace({ namespace }));
}

export function nodeCommand(name: string): string {
  return command('kubectl describe', quoted(`node/${name}`));
}

/** @param which of the container that died before, and whether to follow */
export function logsCommand(
  { namespace, name, container }: Subject,
  which: { readonly previous: boolean; readonly follow: boolean },
): string {
  return command(
    'kubectl logs',
    quoted(name),
    inNamespace({ namespace }),
    ...(container === undefined ? [] : ['-c', quoted(container)]),
    ...(which.previous ? ['--previous'] : which.follow ? ['-f'] : []),
  );
}

/**
 * What an act does, as a command.
 *
 * @param pods the names of the subject's pods; undefined: not all are known
 * @returns undefined when no single command does it
 */
export function actCommand(act: ActName, subject: Subject, pods: readonly string[] | undefined): string | undefined {
  if (act === 'restart') {
    if (!RESTARTABLE.includes(subject.kind)) return undefined;
    const container = subject.container === undefined ? [] : ['-c', quoted(subject.container)];
    return command('kubectl restart', target(subject), inNamespace(subject), ...container);
  }
  if (pods === undefined || pods.length === 0) return undefined;
  // The pause of such a workload holds for the pods that it gets later.
  const workload = act !== 'try-now' && PAUSABLE.includes(subject.kind) ? [target(subject)] : [];
  const named = [...workload, ...pods.map((pod) => quoted(`pod/${pod}`))];
  const annotate = (note: string): string =>
    command('kubectl annotate --overwrite', ...named, inNamespace(subject), note);
  if (act === 'try-now') return annotate(`${TRY_NOW}="$(date -u +%FT%TZ)"`);
  return annotate(act === 'pause' ? `${HEALING_PAUSED}=true` : `${HEALING_PAUSED}-`);
}

/** The pods of a row, if the page knows all of them. */
export function podsOf({ pods, podsLeftOut }: PageRow): readonly string[] | undefined {
  return (podsLeftOut ?? 0) > 0 ? undefined : pods.map(({ name }) => name);
}

export function isRestartable(kind: string): boolean {
  return RESTARTABLE.includes(kind);
}
