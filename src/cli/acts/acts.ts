/** The acts that people do on pods and workloads when they look at them, each with the right that it needs. Pure. */
import { POD_RESTARTS, PODS } from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { UsageError } from '../usage-error.ts';
import { findKind, type WhyWorkload } from '../why/target.ts';

/**
 * restart: in place; a workload's pods one after another. try-now: what waits in a back-off is started at once, and what runs is
 * left alone. pause: nothing is restarted any more, until resume.
 */
export const ACTS = ['restart', 'try-now', 'pause', 'resume'] as const;
export type Act = (typeof ACTS)[number];

export type ActKind = 'Pod' | 'CronJob' | WhyWorkload;

export interface ActTarget {
  readonly kind: ActKind;
  readonly namespace: string;
  readonly name: string;
  /** Of a pod, for restart: that container alone. */
  readonly container?: string;
}

/** Whoever acts: the client and the connection carry that user's credentials. */
export type ActContext = Pick<ClusterSession, 'client' | 'connection' | 'clock' | 'signal'>;

export interface ActResult {
  readonly ok: boolean;
  /** For people: one line, what was done or why not; at most `MAX_ACT_WORDS` characters. */
  readonly words: string;
  /**
   * A workload's restart goes on pod after pod, as long as the context's signal lets it: this is how it ends. It never rejects.
   * Absent: there is nothing more to come.
   */
  readonly rest?: Promise<ActResult>;
}

/** As in the attributes of a SelfSubjectAccessReview. */
export interface Right {
  readonly verb: string;
  /** '': the core group */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

const PATCH_PODS: Right = { verb: 'patch', group: '', resource: PODS.resource };

const RIGHTS: Readonly<Record<Act, readonly Right[]>> = {
  restart: [
    { verb: 'create', group: '', resource: PODS.resource, subresource: 'restart' },
    { verb: 'create', group: POD_RESTARTS.group, resource: POD_RESTARTS.resource },
  ],
  'try-now': [PATCH_PODS],
  pause: [PATCH_PODS],
  resume: [PATCH_PODS],
};

/** In the target's namespace; one of them is enough. */
export function rightsFor(act: Act): readonly Right[] {
  return RIGHTS[act];
}

const KINDS: readonly string[] = [
  'Pod',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'CronJob',
] satisfies readonly ActKind[];

const SHORT: Readonly<Record<ActKind, string>> = {
  Pod: 'pod',
  Deployment: 'deploy',
  StatefulSet: 'sts',
  DaemonSet: 'ds',
  ReplicaSet: 'rs',
  ReplicationController: 'rc',
  Job: 'job',
  CronJob: 'cronjob',
};
const WANTED = 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, rc/NAME, job/NAME or cronjob/NAME';

/** "deploy", "Deployment" or "deployments.apps". Undefined: nothing can be done to such an object. */
export function actKind(word: string): ActKind | undefined {
  const kind = findKind(word);
  return kind !== undefined && KINDS.includes(kind) ? (kind as ActKind) : undefined;
}

/** "deploy/web", as people type it. */
export function actTargetText({ kind, name }: Pick<ActTarget, 'kind' | 'name'>): string {
  return `${SHORT[kind]}/${name}`;
}

/** "pod/web", "deploy/web sts/db", "deploy web". @throws UsageError */
export function parseActTargets(args: readonly string[], namespace: string): readonly ActTarget[] {
  const [first = '', ...names] = args;
  if (first === '') throw new UsageError(`Name what is meant: ${WANTED}.`);
  const texts = first.includes('/') || names.length === 0 ? args : names.map((name) => `${first}/${name}`);
  const targets = texts.map((text) => parseOne(text, namespace));
  return targets.filter((one, place) => targets.findIndex((each) => isSame(each, one)) === place);
}

function isSame(a: ActTarget, b: ActTarget): boolean {
  return a.kind === b.kind && a.name === b.name;
}

function parseOne(text: string, namespace: string): ActTarget {
  const [word = '', name = '', ...more] = text.split('/');
  const kind = actKind(word);
  if (kind === undefined || more.length > 0 || !/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
    throw new UsageError(`"${text}" names nothing that this can be done to: give ${WANTED}.`);
  return { kind, namespace, name };
}
