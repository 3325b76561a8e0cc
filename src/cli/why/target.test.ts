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
  ])('%s', (text, kind, name) => expect(parseWhyTarget(text.split(' '))).toEqual({ kind, name }));

  it.each<[string, RegExp]>([
    ['', /Say what to ask about/],
    ['node', /Name the node/],
    ['secret/db', /"secret" is not a kind that can be explained/],
    ['pod/', /names nothing/],
    ['pod/a/b', /names nothing/],
    ['pod/a pod/b', /One at a time/],
    ['pod a b', /One at a time/],
  ])('%j', (text, message) => {
    expect(() => parseWhyTarget(text.split(' ').filter((part) => part !== ''))).toThrow(message);
  });
});
