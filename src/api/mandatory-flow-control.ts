/**
 * The specs of the FlowSchemas and PriorityLevelConfigurations that every cluster has, and that nobody may change (upstream: the
 * mandatory part of apis/flowcontrol/bootstrap). Pure.
 */
import type { FlowSchema, PriorityLevelConfiguration } from './types.gen.ts';

type FlowSchemaSpec = NonNullable<FlowSchema['spec']>;
type PriorityLevelSpec = NonNullable<PriorityLevelConfiguration['spec']>;

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function groups(...names: readonly string[]) {
  return names.map((name) => ({ kind: 'Group', group: { name } }));
}

/** By name. */
export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, FlowSchemaSpec> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: groups('system:masters'), ...EVERYTHING }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...EVERYTHING }],
    },
  ],
]);

/** By name. Of `exempt`, the field `exempt` is a proposal: operators may change it. */
export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, PriorityLevelSpec> = new Map([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
    },
  ],
]);
