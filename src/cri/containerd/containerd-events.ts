/** containerd's event envelopes as runtime events. Pure. */
import { fromBinary } from '@bufbuild/protobuf';
import {
  ContainerCreateSchema,
  ContainerDeleteSchema,
  TaskExitSchema,
  TaskOOMSchema,
  TaskStartSchema,
} from '../gen/containerd-event-types_pb.js';
import type { RuntimeEvent } from '../runtime.ts';

/** CRI's namespace in containerd. */
export const CRI_NAMESPACE = 'k8s.io';
/** The headers of a call to one of containerd's own services. */
export const CONTAINERD_HEADERS = { 'containerd-namespace': CRI_NAMESPACE };

/** The topic of our own event by which a new subscription is seen to stand. */
export const PROBE_TOPIC = '/mendlet/subscribed';

/** The filters of the subscription: only what `eventFromContainerd` understands, filtered before it is sent. */
export const EVENT_FILTERS: readonly string[] = [
  `namespace==${CRI_NAMESPACE},topic~="^/(tasks/(start|exit|oom)|containers/(create|delete))$"`,
  `namespace==${CRI_NAMESPACE},topic=="${PROBE_TOPIC}"`,
];

/**
 * The event in an envelope with `topic` and the encoded message `value`; `undefined` for what is not about a container or
 * sandbox as a whole (the end of an exec'd process comes as /tasks/exit too, with an id of its own).
 */
export function eventFromContainerd(topic: string, value: Uint8Array): RuntimeEvent | undefined {
  switch (topic) {
    case '/tasks/exit': {
      const { containerId, id } = fromBinary(TaskExitSchema, value);
      return id === containerId ? { kind: 'stopped', id } : undefined;
    }
    case '/tasks/start':
      return { kind: 'started', id: fromBinary(TaskStartSchema, value).containerId };
    case '/tasks/oom':
      return { kind: 'oom', id: fromBinary(TaskOOMSchema, value).containerId };
    case '/containers/create':
      return { kind: 'created', id: fromBinary(ContainerCreateSchema, value).id };
    case '/containers/delete':
      return { kind: 'deleted', id: fromBinary(ContainerDeleteSchema, value).id };
    default:
      return undefined;
  }
}
