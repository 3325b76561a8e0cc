/**
 * The kinds that every server serves. A new kind is a row in `api`, which names it, and a registration in this room, which says
 * how it is stored and answered.
 */
import { BINDINGS, PODS, RESOURCES } from '../../api/index.ts';
import { refuseBadSegment } from '../http/bad-segment.ts';
import { DAYS_KIND } from '../days/answer-days.ts';
import { METRICS_KINDS } from '../metrics-api/answer-metrics.ts';
import type { ServedKind, StoredKind } from '../call.ts';
import { REVIEW_KINDS } from '../reviews/reviews.ts';
import { bind } from '../subresources/binding.ts';
import { ACCESS_REGISTRATIONS } from './access.ts';
import { AUTOSCALING_REGISTRATIONS } from './autoscaling.ts';
import { BATCH_REGISTRATIONS } from './batch.ts';
import { BUDGET_REGISTRATIONS } from './budgets.ts';
import { COMPONENT_STATUS_KIND } from './component-status.ts';
import { CORE_REGISTRATIONS } from './core.ts';
import { DEFINITION_REGISTRATIONS } from './definitions.ts';
import { DEVICE_REGISTRATIONS } from './devices.ts';
import { NETWORKING_REGISTRATIONS } from './networking.ts';
import { REPLICATED_REGISTRATIONS } from './replicated.ts';
import { STATEFUL_REGISTRATIONS } from './stateful.ts';

const REGISTRATIONS: readonly StoredKind[] = [
  ...CORE_REGISTRATIONS,
  ...REPLICATED_REGISTRATIONS,
  ...STATEFUL_REGISTRATIONS,
  ...BATCH_REGISTRATIONS,
  ...BUDGET_REGISTRATIONS,
  ...ACCESS_REGISTRATIONS,
  ...NETWORKING_REGISTRATIONS,
  ...DEFINITION_REGISTRATIONS,
  ...AUTOSCALING_REGISTRATIONS,
  ...DEVICE_REGISTRATIONS,
];

/** POST bindings: the older way to give a pod its node. */
const BINDING_KIND: ServedKind = {
  row: BINDINGS,
  answer: (asked) => {
    const { verb, name, namespace } = asked.info;
    if (verb !== 'create' || name !== undefined || namespace === undefined) return undefined;
    refuseBadSegment('Namespace', namespace);
    const { server } = asked;
    const registration = server.registry.get(PODS);
    return bind({ ...asked, registration, storage: server.storageOf(registration) });
  },
};

/** In the order of the table of resources, which discovery keeps. Throws when a row of that table has no kind. */
export function builtInKinds(): readonly ServedKind[] {
  const stored = REGISTRATIONS.map((registration): ServedKind => ({ row: registration.row, stored: registration }));
  const kinds = new Map(
    [...stored, BINDING_KIND, COMPONENT_STATUS_KIND, ...REVIEW_KINDS].map((kind) => [kind.row, kind]),
  );
  const listed = RESOURCES.map((row) => {
    const kind = kinds.get(row);
    if (kind === undefined) throw new Error(`${row.resource} has no registration`);
    return kind;
  });
  return [...listed, ...METRICS_KINDS, DAYS_KIND];
}
