import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseTargets } from './targets.ts';

const named = (...targets: readonly string[]) => ({
  kind: 'named',
  targets: targets.map((text) => ({ kind: text.split('/')[0], name: text.split('/')[1] })),
});

describe('parseTargets', () => {
  it.each([
    [['pod/web'], named('pod/web')],
    [['po/a', 'pods/b', 'pod/a'], named('pod/a', 'pod/b')],
    [['pod', 'a', 'b'], named('pod/a', 'pod/b')],
    [['deploy/web', 'sts/db'], named('deployment/web', 'statefulset/db')],
    [['deployment.apps/web'], named('deployment/web')],
    [['Deployments.v1.apps/web'], named('deployment/web')],
    [['ds/log', 'rs/web-1'], named('daemonset/log', 'replicaset/web-1')],
  ])('reads %j', (args, wanted) => {
    expect(parseTargets(args, { all: false })).toEqual(wanted);
  });

  it.each([
    [[], { selector: 'app=web', all: false }, { kind: 'pod', selector: 'app=web' }],
    [['deploy'], { all: true }, { kind: 'deployment' }],
    [['pods'], { all: true }, { kind: 'pod' }],
  ])('reads %j with %j', (args, flags, set) => {
    expect(parseTargets(args, flags)).toEqual({ kind: 'set', set });
  });

  it.each([
    [[], { all: false }, 'Name what to restart'],
    [['web'], { all: false }, 'say what it is, for instance pod/web'],
    [['pod'], { all: false }, 'Name the pod'],
    [['pod/'], { all: false }, 'names nothing'],
    [['pod/a/b'], { all: false }, 'names nothing'],
    [['/a'], { all: false }, 'names nothing'],
    [['pod', 'pod/a'], { all: false }, 'write either'],
    [['pod/a', 'b'], { all: false }, 'names nothing'],
    [['job/a'], { all: false }, '"job" cannot be restarted'],
    [['pod.apps/a'], { all: false }, '"pod.apps" cannot be restarted'],
    [['job', 'a'], { all: false }, '"job" cannot be restarted'],
    [['pod/a'], { all: true }, 'leave out the names'],
    [['pod', 'a'], { selector: 'x', all: false }, 'leave out the names'],
    [[], { selector: 'x', all: true }, 'leave out one'],
  ])('refuses %j with %j', (args, flags, message) => {
    expect(() => parseTargets(args, flags)).toThrow(UsageError);
    expect(() => parseTargets(args, flags)).toThrow(message);
  });
});
