/** A Notification as people write it, checked, and in the form that the controller works with: all defaults filled. Pure. */
import { labelSelectorOf, type ParsedLabelSelector } from '../label-selector.ts';
import { durationMs } from '../healing/duration.ts';
import { pemOf } from '../custom-resources/ca-bundle.ts';
import {
  DEFAULT_ALERTMANAGER_REPEAT_MS,
  DEFAULT_DAMPING_MS,
  DEFAULT_GROUP_WAIT_MS,
  DEFAULT_PATIENCE_MS,
} from './limits.ts';
import {
  type ClusterNotificationSpec,
  NOTIFICATION_TRIGGERS,
  type NotificationSecretRef,
  type NotificationTargetType,
  type NotificationTrigger,
} from './types.ts';
import { NOTIFICATION_SECRET } from './words.ts';

export interface ResolvedNotification {
  readonly selector: ParsedLabelSelector;
  /** Absent: every namespace that the object may look at. */
  readonly namespaceSelector?: ParsedLabelSelector;
  readonly triggers: ReadonlySet<NotificationTrigger>;
  readonly cluster?: string;
  readonly patienceMs: number;
  readonly groupWaitMs: number;
  /** Absent: never. */
  readonly repeatAfterMs?: number;
  readonly dampingMs: number;
  readonly target: ResolvedTarget;
}

export interface ResolvedTarget {
  readonly type: NotificationTargetType;
  readonly url: ResolvedText;
  readonly headers: readonly { readonly name: string; readonly value: ResolvedText }[];
  readonly authorityPem?: string;
}

/** A text, or the place of one. */
export type ResolvedText = { readonly text: string } | { readonly secret: ResolvedSecretRef };

export interface ResolvedSecretRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * The spec with its defaults.
 *
 * @param spec one that `validateNotificationSpec` finds nothing wrong with
 * @param namespace of the object; undefined for a ClusterNotification
 */
export function resolveNotification(
  spec: ClusterNotificationSpec,
  namespace: string | undefined,
): ResolvedNotification {
  const { target = {}, cluster, namespaceSelector } = spec;
  const type = target.type ?? 'Generic';
  const secret = (ref: NotificationSecretRef = {}): ResolvedText => ({
    secret: {
      namespace: namespace ?? ref.namespace ?? '',
      name: ref.name ?? NOTIFICATION_SECRET,
      key: ref.key ?? '',
    },
  });
  const repeatAfterMs =
    durationOf(spec.repeatAfter) ?? (type === 'Alertmanager' ? DEFAULT_ALERTMANAGER_REPEAT_MS : undefined);
  return {
    selector: labelSelectorOf(spec.selector ?? {}) ?? [],
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: labelSelectorOf(namespaceSelector) ?? [] }),
    triggers: new Set(spec.triggers ?? NOTIFICATION_TRIGGERS),
    ...(cluster === undefined || cluster === '' ? {} : { cluster }),
    patienceMs: durationOf(spec.patience) ?? DEFAULT_PATIENCE_MS,
    groupWaitMs: durationOf(spec.groupWait) ?? DEFAULT_GROUP_WAIT_MS,
    ...(repeatAfterMs === undefined ? {} : { repeatAfterMs }),
    dampingMs: durationOf(spec.damping) ?? DEFAULT_DAMPING_MS,
    target: {
      type,
      url: target.url === undefined ? secret(target.urlFrom?.secretKeyRef) : { text: target.url },
      headers: (target.headers ?? []).map(({ name = '', value, valueFrom }) => ({
        name: name.toLowerCase(),
        value: value === undefined ? secret(valueFrom?.secretKeyRef) : { text: value },
      })),
      ...(target.caBundle === undefined || target.caBundle === '' ? {} : { authorityPem: pemOf(target.caBundle) }),
    },
  };
}

function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : durationMs(text);
}
