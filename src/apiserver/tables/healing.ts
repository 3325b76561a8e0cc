/** The columns of our own kinds. */
import {
  DEFAULT_RUNG_ATTEMPTS,
  DEFAULT_RUNGS,
  formatLabelSelector,
  type HealingPolicy,
  type HealingPolicySpec,
  type HealingRung,
  type LabelSelector,
  labelSelectorOf,
  type PodRestart,
} from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

export const podRestartTable: TableKind = {
  columns: [
    nameColumn,
    column('Pod', { description: 'The pod that is restarted.' }),
    column('Scope', { description: 'What of it: a container, all containers, or the whole pod.' }),
    column('Phase', { description: 'How far it is.' }),
    column('Reason', { description: 'One word for how it went.' }),
    column('By', { description: 'Who asked for it.' }),
    ageColumn,
    column('Node', { wide: true, description: 'Node that the pod runs on.' }),
    column('Message', { wide: true, description: 'How it went, for people.' }),
  ],
  cells: (object, now) => {
    const { metadata, spec = {}, status = {} } = object as PodRestart;
    return [
      metadata?.name ?? '',
      spec.podName ?? '',
      spec.container === undefined ? (spec.scope ?? '') : `${spec.scope}/${spec.container}`,
      status.phase ?? 'Pending',
      status.reason ?? '',
      spec.requestedBy ?? '<unknown>',
      since(metadata?.creationTimestamp, now),
      status.nodeName ?? '<none>',
      status.message ?? '',
    ];
  },
};

export const healingPolicyTable: TableKind = {
  columns: [
    nameColumn,
    column('Selector', { description: 'Pods that heal by it.' }),
    column('Rungs', { description: 'What is tried, and how often.' }),
    column('MaxPodRestarts', { description: 'Whole-pod restarts in the life of a pod.' }),
    column('Pods', { type: 'integer', description: 'Pods that heal by it now.' }),
    ageColumn,
  ],
  cells: (object, now) => {
    const { metadata, spec = {}, status } = object as HealingPolicy;
    return [
      metadata?.name ?? '',
      selectorText(spec.selector),
      rungsText(spec),
      spec.maxPodRestarts === undefined ? '<none>' : String(spec.maxPodRestarts),
      status?.pods ?? 0,
      since(metadata?.creationTimestamp, now),
    ];
  },
};

function selectorText(selector: LabelSelector | undefined): string {
  const text = formatLabelSelector(labelSelectorOf(selector) ?? []);
  return text === '' ? '<all>' : text;
}

/** "container×3 → pod×2 → node×1" */
function rungsText({ rungs = [...DEFAULT_RUNGS] }: HealingPolicySpec): string {
  return rungs.map(({ scope, attempts = DEFAULT_RUNG_ATTEMPTS }: HealingRung) => `${scope}×${attempts}`).join(' → ');
}
