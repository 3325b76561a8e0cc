/** What can be wrong, as the objects of the cluster say it. Pure. */
import { cutText, MAX_CAUSE_BYTES, type NotificationTrigger } from '../../api/index.ts';
import { fnv1a64, visibleLine } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';

export type TroubleTrigger = Exclude<NotificationTrigger, 'Recovered'>;

/** The object that people think of: the workload of a pod rather than the pod. */
export interface Subject {
  readonly kind: string;
  /** '' for a node. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * - now: it is told.
 * - patience: it is told when it has gone on for as long as the object's patience.
 * - hold: it is never told, but a trouble of the same subject is not over while it is there.
 */
export type Weight = 'now' | 'patience' | 'hold';

/** One trouble of one object. */
export interface Trouble {
  readonly trigger: TroubleTrigger;
  readonly subject: Subject;
  readonly weight: Weight;
  /** Wall ms; absent: the object does not say it, and it counts from when it was first seen. */
  readonly since?: number;
  /** Wall ms; from then on it is over by itself. */
  readonly until?: number;
  /** One line, without secrets, bounded. */
  readonly cause: string;
  /** The pod, if the subject is its workload. */
  readonly pod?: string;
}

/** A trouble that was seen. */
export interface SeenTrouble extends Trouble {
  /** Wall ms. */
  readonly seenAt: number;
  /** Of the object that has it: the pod, the claim. */
  readonly labels: Readonly<Record<string, string>>;
  /** Key of that object. */
  readonly key: string;
}

/** The name of a subject's troubles of one kind: the same on every machine, and when they come back. */
export function troubleId(trigger: TroubleTrigger, { kind, namespace, name }: Subject): string {
  return fnv1a64(JSON.stringify([trigger, kind, namespace, name]));
}

/** A foreign text as it may be told to others. */
export function toldCause(text: string): string {
  return cutText(maskSecrets(visibleLine(text)), MAX_CAUSE_BYTES);
}
