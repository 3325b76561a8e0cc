/** The strategies of quotas and priority classes. */
import { forbidden, type PriorityClass, PRIORITY_CLASSES, SYSTEM_PRIORITY_CLASSES } from '../../api/index.ts';
import { withMeta } from './object.ts';
import type { Strategy } from './registration.ts';

export const quotaStrategy: Strategy = {
  returnsDeleted: true,
  prepareForCreate: (object) => ({ ...object, status: {} }),
};

/** A range without a name gets one (upstream: limitrangeStrategy). */
export const limitRangeStrategy: Strategy = {
  prepareForCreate: (object) => (object.metadata.name ? object : withMeta(object, { name: object.metadata.uid ?? '' })),
};

export const priorityClassStrategy: Strategy = { hasGeneration: true, refuseDelete: refuseSystemClass };

/** Throws 403 for the classes that must stay. */
function refuseSystemClass(name: string): void {
  if (Object.hasOwn(SYSTEM_PRIORITY_CLASSES, name))
    throw forbidden(PRIORITY_CLASSES, name, 'this is a system priority class and cannot be deleted');
}

/** The system classes as they are made at the start. */
export const SYSTEM_CLASSES: readonly PriorityClass[] = Object.entries(SYSTEM_PRIORITY_CLASSES).map(
  ([name, value]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
    globalDefault: false,
    description:
      name === 'system-node-critical'
        ? 'For pods without which their node does not work.'
        : 'For pods without which the cluster does not work.',
  }),
);
