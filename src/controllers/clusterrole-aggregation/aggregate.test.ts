import { describe, expect, it } from 'vitest';
import type { ClusterRole, PolicyRule } from '../../api/index.ts';
import { aggregatedRules } from './aggregate.ts';

const rule = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, labels: Record<string, string>, ...resources: string[]): ClusterRole => ({
  metadata: { name, labels },
  rules: resources.map(rule),
});
const gathering = (
  name: string,
  labels: Record<string, string>,
  ...selectors: Record<string, string>[]
): ClusterRole => ({
  metadata: { name, labels },
  aggregationRule: { clusterRoleSelectors: selectors.map((matchLabels) => ({ matchLabels })) },
});

describe('a role that gathers', () => {
  const all = [
    role('b', { to: 'x' }, 'pods', 'nodes'),
    role('a', { to: 'x' }, 'secrets', 'pods'),
    role('c', { to: 'y' }, 'jobs'),
  ];
  it.each<[string, ClusterRole, string[] | undefined]>([
    ['nothing, for it gathers not', role('r', {}), undefined],
    ['nothing of nobody', gathering('r', {}, { to: 'z' }), []],
    ['by names, each once', gathering('r', {}, { to: 'x' }), ['secrets', 'pods', 'nodes']],
    [
      'by several selectors, in their order',
      gathering('r', {}, { to: 'y' }, { to: 'x' }),
      ['jobs', 'secrets', 'pods', 'nodes'],
    ],
    ['not from itself', { ...gathering('r', { to: 'z' }, { to: 'z' }), rules: [rule('pods')] }, []],
  ])('%s', (_, target, resources) => {
    expect(aggregatedRules(target, [...all, target])?.flatMap((each) => each.resources)).toEqual(resources);
  });
});
