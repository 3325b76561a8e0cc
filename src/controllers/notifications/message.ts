/** A message to a target, and its words. They are those of `mendlet why` and of events: what, where, since when, why, what next. Pure. */
import type { NotificationNotice } from '../../api/index.ts';
import { formatDurationMs } from '../../api/index.ts';
import { fnv1a64, parseTime } from '../../lib/index.ts';
import { MAX_NOTICES_IN_MESSAGE } from './limits.ts';
import { type DueKind, type DueNotice, wordId } from './plan-notices.ts';
import type { TroubleTrigger } from './trouble.ts';
import type { TroubleEnd } from './trouble-end.ts';

/** The object whose target gets the message. */
export interface Sender {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

export interface ToldNotice {
  /** The same when it is sent again: receivers may know it by that. */
  readonly id: string;
  /** The same for all that is told of one trouble. */
  readonly trouble: string;
  readonly kind: DueKind;
  readonly trigger: TroubleTrigger;
  readonly objectKind: string;
  readonly namespace: string;
  readonly name: string;
  readonly cause: string;
  /** Wall ms. */
  readonly since: number;
  readonly endedAt?: number;
  /** How it came that it is over. */
  readonly end?: TroubleEnd;
  readonly times: number;
  /** "deployment shop/api: healing gave up" */
  readonly headline: string;
  readonly next: string;
  readonly commands: readonly string[];
}

export interface Message {
  /** The same when it is sent again. */
  readonly id: string;
  readonly sender: Sender;
  readonly cluster?: string;
  /** Wall ms. */
  readonly at: number;
  readonly notices: readonly ToldNotice[];
  /** Somebody tries the target, and nothing is wrong. */
  readonly isTest: boolean;
}

export interface MessageOptions {
  readonly sender: Sender;
  readonly cluster?: string;
  readonly at: number;
  /** How it came that a notice is over. */
  readonly endOf: (notice: NotificationNotice) => TroubleEnd;
}

/** As many as fit into one message; the rest follows in the next one. */
export function firstOf(due: readonly DueNotice[]): readonly DueNotice[] {
  return due.slice(0, MAX_NOTICES_IN_MESSAGE);
}

export function composeMessage(due: readonly DueNotice[], { sender, cluster, at, endOf }: MessageOptions): Message {
  const notices = due.map((each) => toldNotice(each, at, each.kind === 'recovered' ? endOf(each.notice) : undefined));
  const id = fnv1a64(JSON.stringify([sender.uid, ...notices.map((each) => each.id)]));
  return { id, sender, ...(cluster === undefined ? {} : { cluster }), at, notices, isTest: false };
}

/** The message that `mendlet notify test` asks for. */
export function composeTest(testId: string, { sender, cluster, at }: Omit<MessageOptions, 'endOf'>): Message {
  const id = fnv1a64(JSON.stringify([sender.uid, 'test', testId]));
  return { id, sender, ...(cluster === undefined ? {} : { cluster }), at, notices: [], isTest: true };
}

function toldNotice(due: DueNotice, at: number, end: TroubleEnd | undefined): ToldNotice {
  const { kind, notice } = due;
  const { id = '', objectKind = '', namespace = '', name = '', cause = '', times = 1, told = 0 } = notice;
  const trigger = (notice.trigger ?? 'NeedsHuman') as TroubleTrigger;
  const since = parseTime(notice.since) ?? at;
  const endedAt = end === undefined ? undefined : (parseTime(notice.endTime) ?? at);
  const subject = `${kindWord(objectKind)} ${namespace === '' ? '' : `${namespace}/`}${name}`;
  const said = TROUBLE_WORDS[trigger];
  const late = told === 0 ? ` (before this target could be told: ${said.was})` : '';
  const headline =
    end === undefined
      ? `${subject}${said.is}${kind === 'again' ? ' (still)' : ''}`
      : `${subject} ${overWords(end, Math.max(0, (endedAt ?? at) - since))}${late}`;
  return {
    id: wordId(due),
    trouble: id,
    kind,
    trigger,
    objectKind,
    namespace,
    name,
    cause,
    since,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(end === undefined ? {} : { end }),
    times,
    headline,
    next: end === undefined ? said.next : end === 'failed' ? 'It is not started again.' : 'Nothing is to be done.',
    commands: commandsOf(notice, kind, trigger),
  };
}

/** @param tookMs from the beginning to the end */
function overWords(end: TroubleEnd, tookMs: number): string {
  switch (end) {
    case 'recovered':
      return `recovered after ${formatDurationMs(tookMs)}`;
    case 'gone':
      return 'does not exist any more';
    case 'no-pods':
      return 'has no pods any more';
    case 'failed':
      return 'has failed, and is not healed any more';
  }
}

const TROUBLE_WORDS: Readonly<
  Record<TroubleTrigger, { readonly is: string; readonly was: string; readonly next: string }>
> = {
  GaveUp: {
    is: ': healing gave up',
    was: 'healing gave up',
    next: 'Nothing more is tried until somebody restarts it, or changes its image, a ConfigMap or a Secret of it.',
  },
  NeedsHuman: {
    is: ' needs a person',
    was: 'it needed a person',
    next: 'It does not come right by itself: something must be changed.',
  },
  NodeLost: {
    is: ' is lost',
    was: 'it was lost',
    next: 'Its pods are made anew on other nodes as soon as they are evicted; volumes on its disk wait for it.',
  },
  DataAtRisk: {
    is: ': data at risk',
    was: 'data was at risk',
    next: 'Pods that need the volume wait or fail until it works again.',
  },
};

/** Kind → the word for people, and the one that kubectl and mendlet take. */
const KINDS: Readonly<Record<string, readonly [word: string, short: string]>> = {
  Pod: ['pod', 'pod'],
  Deployment: ['deployment', 'deploy'],
  StatefulSet: ['stateful set', 'sts'],
  DaemonSet: ['daemon set', 'ds'],
  ReplicaSet: ['replica set', 'rs'],
  ReplicationController: ['replication controller', 'rc'],
  Job: ['job', 'job'],
  PersistentVolumeClaim: ['claim', 'pvc'],
  Node: ['node', 'node'],
};
/** Workloads whose pods `mendlet restart` restarts. */
const RESTARTABLE: ReadonlySet<string> = new Set(['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);
/** Names that need no quotes in a shell. */
const PLAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function kindWord(kind: string): string {
  return KINDS[kind]?.[0] ?? kind;
}

/** Commands to look, ready to paste. None for an object of an unknown kind. */
function commandsOf(
  { objectKind = '', namespace = '', name = '' }: NotificationNotice,
  kind: DueKind,
  trigger: TroubleTrigger,
): readonly string[] {
  const short = KINDS[objectKind]?.[1];
  if (short === undefined || !PLAIN.test(name) || (namespace !== '' && !PLAIN.test(namespace))) return [];
  const where = namespace === '' ? '' : ` -n ${namespace}`;
  const describe = `kubectl describe ${short}/${name}${where}`;
  if (kind === 'recovered')
    return RESTARTABLE.has(objectKind) ? [`mendlet history ${short}/${name}${where}`] : [describe];
  return [
    `mendlet why ${short}/${name}${where}`,
    describe,
    ...(trigger === 'GaveUp' && RESTARTABLE.has(objectKind)
      ? [`mendlet restart ${short}/${name}${where} --force`]
      : []),
  ];
}
