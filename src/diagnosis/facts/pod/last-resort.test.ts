import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { diagnoseWorkload } from '../../diagnose-workload.ts';
import { ago, event, evidence, NOW, pod, waiting } from '../../evidence.fixtures.ts';
import type { Event, WorkloadObject } from '../../evidence/kinds.ts';
import { type Condition, lastResort } from './last-resort.ts';

const told = (conditions: readonly Condition[], events: readonly Event[] = []): readonly string[] =>
  lastResort({ target: 'thing/a', now: NOW, conditions, events, try: [] }).map(({ says }) => says);
const condition = (type: string, status: string, seconds = 60): Condition => ({
  type,
  status,
  reason: 'Why',
  message: 'it is so.',
  lastTransitionTime: ago(seconds),
});

describe('the last resort', () => {
  it.each<[string, string, string, string | undefined]>([
    [
      'of trouble that is True',
      'ReplicaFailure',
      'True',
      'thing/a is not as wanted: its condition ReplicaFailure is True: it is so',
    ],
    [
      'of trouble, with the domain of another',
      'example.com/DiskProblem',
      'True',
      'thing/a is not as wanted: its condition example.com/DiskProblem is True: it is so',
    ],
    ['of trouble that is False', 'ReplicaFailure', 'False', undefined],
    [
      'of health that is False',
      'AbleToScale',
      'False',
      'thing/a is not as wanted: its condition AbleToScale is False: it is so',
    ],
    ['of health that is True', 'Progressing', 'True', undefined],
    ['that sums up others, as in each slow start', 'Available', 'False', undefined],
    ['of which nobody knows what is right', 'example.com/Drained', 'True', undefined],
  ])('of a condition %s', (_, type, status, says) => {
    expect(told([condition(type, status)])).toEqual(says === undefined ? [] : [says]);
  });

  it('waits for as long as a start takes', () => {
    expect(told([condition('ReplicaFailure', 'True', 5)])).toEqual([]);
  });

  it.each<[string, readonly Event[], readonly string[]]>([
    [
      'a warning',
      [event('FailedThing', 'no room left.', { count: 4, seconds: 20 })],
      ['thing/a is not as wanted, and pod/web-1 says FailedThing: no room left (4 times, 20s ago)'],
    ],
    ['an old warning', [event('FailedThing', 'no room left', { seconds: 3600 })], []],
    [
      'a failed probe, which other rules judge',
      [event('Unhealthy', 'Readiness probe failed: no', { seconds: 20 })],
      [],
    ],
    [
      'a warning after which it got further',
      [event('FailedThing', 'no', { seconds: 20 }), { ...event('Pulling', 'pulls', { seconds: 5 }), type: 'Normal' }],
      [],
    ],
  ])('of %s', (_, events, says) => {
    expect(told([], events)).toEqual(says);
  });
});

describe('an object of which no rule says anything', () => {
  it('quotes the warning about a pod that does not start', () => {
    const given = evidence({
      pod: pod({
        metadata: { creationTimestamp: ago(90) },
        status: waiting('ContainerCreating'),
        podStatus: { phase: 'Pending' },
      }),
      events: [event('FailedSomethingNew', 'the gadget is missing', { seconds: 10 })],
    });
    expect(diagnosePod(given)).toMatchObject({ asWanted: false, findings: [{ id: 'warned', severity: 'warning' }] });
  });

  it('quotes the condition of a workload that lacks pods', () => {
    const object = {
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop', uid: 'd', creationTimestamp: ago(90) },
      spec: { replicas: 1, selector: {}, template: {} },
      status: { conditions: [condition('ReplicaFailure', 'True')] },
    } as WorkloadObject;
    const given = { now: NOW, workload: object, events: [], pods: [], looked: [], notLookedAt: [], namespaceFlag: '' };
    const { findings, asWanted } = diagnoseWorkload(given);
    expect(asWanted).toBe(false);
    expect(findings.map(({ id }) => id)).toEqual(['condition', 'pods-missing']);
  });

  it('does not call a rollout that is not over as wanted', () => {
    const object = {
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop', uid: 'd', creationTimestamp: ago(90) },
      spec: { replicas: 1, selector: {}, template: {} },
      status: { updatedReplicas: 0 },
    } as WorkloadObject;
    const given = {
      now: NOW,
      workload: object,
      events: [],
      pods: [pod()],
      looked: [],
      notLookedAt: [],
      namespaceFlag: '',
    };
    const answer = diagnoseWorkload(given);
    expect([answer.asWanted, answer.state]).toEqual([false, '1/1 ready, its rollout goes on: 0 of 1 pod new']);
    const refused = event(
      'FailedCreate',
      'Error creating: pods "web-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2',
    );
    expect(diagnoseWorkload({ ...given, events: [refused] }).findings[0]?.says).toBe(
      'the rollout of deployment/web does not come on: 0 of 1 pods have its newest template, and it wants one more first (maxSurge), which cannot be made: quota few of its namespace is used up: each asks for pods 1 more, and 2 of 2 are in use; 1 older pod of deployment/web is among them, and goes only when a new one is ready',
    );
  });
});
