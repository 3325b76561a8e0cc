import { describe, expect, it } from 'vitest';
import { parseWhyTarget, type WhyKind } from './target.ts';

describe('what is asked about', () => {
  it.each<[string, WhyKind, string]>([
    ['web', 'Pod', 'web'],
    ['pod/web', 'Pod', 'web'],
    ['po web', 'Pod', 'web'],
    ['pod node', 'Pod', 'node'],
    ['deploy/web', 'Deployment', 'web'],
    ['deployments.apps/web', 'Deployment', 'web'],
    ['sts/db', 'StatefulSet', 'db'],
    ['ds/agent', 'DaemonSet', 'agent'],
    ['job import', 'Job', 'import'],
    ['rs/web-1', 'ReplicaSet', 'web-1'],
    ['no/n1', 'Node', 'n1'],
    ['svc/db', 'Service', 'db'],
    ['service db', 'Service', 'db'],
    ['hpa/web', 'HorizontalPodAutoscaler', 'web'],
    ['horizontalpodautoscalers.autoscaling/web', 'HorizontalPodAutoscaler', 'web'],
  ])('%s', (text, kind, name) => expect(parseWhyTarget(text.split(' '))).toEqual({ kind, name }));

  it.each<[string, RegExp]>([
    ['node', /Name the node/],
    ['secret/db', /"secret" is not a kind that can be explained/],
    ['pod/', /names nothing/],
    ['pod/a/b', /names nothing/],
    ['pod/a pod/b', /One at a time/],
    ['pod a b', /One at a time/],
  ])('%j', (text, message) => {
    expect(() => parseWhyTarget(text.split(' '))).toThrow(message);
  });

  it.each<[string, readonly string[], Parameters<typeof parseWhyTarget>[1], object]>([
    ['the whole cluster without a word', [], {}, { kind: 'Cluster' }],
    ['the namespace of -n', [], { namespace: 'shop' }, { kind: 'Namespace', name: 'shop' }],
    ['a namespace by name', ['ns/shop'], {}, { kind: 'Namespace', name: 'shop' }],
    ['pods by label', [], { selector: 'app=web' }, { kind: 'Selector', selector: 'app=web' }],
    ['pods by label, said twice', ['pods'], { selector: 'app=web' }, { kind: 'Selector', selector: 'app=web' }],
    ['a claim', ['pvc', 'data'], {}, { kind: 'PersistentVolumeClaim', name: 'data' }],
    ['a budget', ['pdb/web'], {}, { kind: 'PodDisruptionBudget', name: 'web' }],
    ['a cron job', ['cj/report'], {}, { kind: 'CronJob', name: 'report' }],
  ])('can be %s', (_, args, scope, target) => {
    expect(parseWhyTarget(args, scope)).toEqual(target);
  });

  it.each<[readonly string[], string, RegExp]>([
    [[], 'a in', /^-l: /],
    [[], ' ', /selects nothing/],
    [['pod/web'], 'app=web', /without a name/],
    [['deploy'], 'app=web', /without a name/],
  ])('%j with -l %j is refused', (args, selector, message) => {
    expect(() => parseWhyTarget(args, { selector })).toThrow(message);
  });

  it('refuses an empty name', () => {
    expect(() => parseWhyTarget([''])).toThrow('An empty name');
  });
});
