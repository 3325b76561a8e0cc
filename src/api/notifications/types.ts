/** Notification and ClusterNotification: who is told when healing needs a person, and what was told. */
import type { LabelSelector, ObjectMeta, PodCondition } from '../types.gen.ts';

/** What a message can be about. Recovered: one of the others is over. */
export type NotificationTrigger = 'GaveUp' | 'NeedsHuman' | 'NodeLost' | 'DataAtRisk' | 'Recovered';

export const NOTIFICATION_TRIGGERS: readonly NotificationTrigger[] = [
  'GaveUp',
  'NeedsHuman',
  'NodeLost',
  'DataAtRisk',
  'Recovered',
];

/** The form of the messages. */
export type NotificationTargetType = 'Generic' | 'Slack' | 'Ntfy' | 'Alertmanager';

export const NOTIFICATION_TARGET_TYPES: readonly NotificationTargetType[] = [
  'Generic',
  'Slack',
  'Ntfy',
  'Alertmanager',
];

/** Messages about pods, claims and their nodes in one namespace. */
export interface Notification {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: NotificationSpec;
  status?: NotificationStatus;
}

/** The same for all namespaces, or chosen ones, and for all nodes. */
export interface ClusterNotification {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: ClusterNotificationSpec;
  status?: NotificationStatus;
}

export interface NotificationSpec {
  /** Pods, and claims, by their labels. Default: all. */
  selector?: LabelSelector;
  /** Default: all triggers. */
  triggers?: NotificationTrigger[];
  target?: NotificationTarget;
  /** The name of the cluster in messages. */
  cluster?: string;
  /** How long a pod may crash, or wait for what does not come, before trigger NeedsHuman. Default: 10m. */
  patience?: string;
  /** How long news is collected for one message. Default: 10s. */
  groupWait?: string;
  /** What is still wrong is told again after so long. Default: never; 5m for Alertmanager. */
  repeatAfter?: string;
  /** How long trouble must be over to count as recovered; doubled each time that it comes back within an hour. Default: 1m. */
  damping?: string;
}

export interface ClusterNotificationSpec extends NotificationSpec {
  /** Namespaces by their labels. Default: all. */
  namespaceSelector?: LabelSelector;
}

export interface NotificationTarget {
  type?: NotificationTargetType;
  /** Either this or `urlFrom`. */
  url?: string;
  urlFrom?: NotificationSecretSource;
  headers?: NotificationHeader[];
  /** Authorities of the target's certificate, PEM in base64. Default: the system's. */
  caBundle?: string;
}

export interface NotificationSecretSource {
  secretKeyRef?: NotificationSecretRef;
}

export interface NotificationSecretRef {
  name?: string;
  key?: string;
  /** For a ClusterNotification, which has no namespace of its own. */
  namespace?: string;
}

export interface NotificationHeader {
  name?: string;
  /** Either this or `valueFrom`. */
  value?: string;
  valueFrom?: NotificationSecretSource;
}

export interface NotificationStatus {
  observedGeneration?: number;
  /** Messages that the target accepted, and tries that failed. */
  sent?: number;
  failed?: number;
  /** Troubles that were not told because too many were open. */
  dropped?: number;
  /** Troubles that are not over. */
  open?: number;
  /** RFC 3339. */
  lastSentTime?: string;
  lastProblem?: string;
  lastProblemTime?: string;
  /** What was told, or is to be told; bounded. Restarted controllers go on from it. */
  notices?: NotificationNotice[];
  test?: NotificationTest;
  conditions?: PodCondition[];
}

/** One trouble, from its first word to an hour after its last. Times are RFC 3339. */
export interface NotificationNotice {
  /** Stays the same when the trouble comes back. */
  id?: string;
  trigger?: NotificationTrigger;
  objectKind?: string;
  namespace?: string;
  name?: string;
  cause?: string;
  since?: string;
  /** How often it came within the last hour. */
  times?: number;
  /** How often it was told since it came last. */
  told?: number;
  toldTime?: string;
  /** It is over since then. */
  endTime?: string;
  /** The recovery has been told, or needs no word. */
  closedTime?: string;
}

/** The last message that somebody asked for to try the target. */
export interface NotificationTest {
  /** The value of the annotation that asked. */
  id?: string;
  time?: string;
  delivered?: boolean;
  /** What the target answered, or why there was no answer. */
  answer?: string;
}
