import { describe, expect, it } from 'vitest';
import { nearlyAgreed, withNearlyAgreed } from './agreed-names.ts';
import { configsBesideWanted } from './pods-beside.ts';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, configMap, evidence, pod } from '../evidence.fixtures.ts';
import type { Pod } from '../evidence/kinds.ts';

const of = (name: string, uid: string, container: object): Pod =>
  pod({
    name,
    container,
    metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid, controller: true }] },
  });
const env = (name: string, value: string): object => ({ env: [{ name, value }] });
const command = (...args: readonly string[]): object => ({ command: ['worker', ...args] });

describe('names by which two programs would meet', () => {
  it.each<[what: string, own: object, other: object, says: RegExp]>([
    [
      'of a queue, which one has in a variable and the other in its command',
      env('CELERY_TASK_QUEUE', 'emails'),
      command('-A', 'mail', '-Q', 'email'),
      /^its variable CELERY_TASK_QUEUE is "emails", and pod other has "email" \(-Q of its command\), which may be meant to be the same queue$/,
    ],
    ['of a topic', env('KAFKA_TOPIC', 'orders.created'), env('SOURCE_TOPIC', 'order.created'), /"order\.created"/],
    ['of a queue and a topic', env('QUEUE_NAME', 'page-views'), command('--topic=page_views'), /"page_views"/],
    ['of a list', env('QUEUES', 'mails,invoices'), command('--queues', 'mails,invoice'), /"invoice"/],
    ['of a bucket', env('S3_BUCKET', 'media-prod'), env('MEDIA_BUCKET', 'media-prods'), /the same bucket$/],
  ])('differ %s', (_what, own, other, says) => {
    expect(nearlyAgreed(of('own', 'a', own), [of('own', 'a', own), of('other', 'b', other)])).toMatch(says);
  });

  it.each<[what: string, own: object, others: readonly object[]]>([
    ['the same ones', env('TASK_QUEUE', 'emails'), [command('-Q', 'emails')]],
    [
      'one of which somebody has the same',
      env('TASK_QUEUE', 'emails'),
      [command('-Q', 'email'), command('-Q', 'emails')],
    ],
    ['of regions', env('TOPIC', 'orders-eu'), [env('TOPIC', 'orders-us')]],
    ['of priorities', env('QUEUE', 'high'), [env('QUEUE', 'higher-still')]],
    ['of numbers', env('TOPIC', 'orders-v1'), [env('TOPIC', 'orders-v2')]],
    ['of other kinds', env('TOPIC', 'orders'), [env('S3_BUCKET', 'order')]],
    ['of nobody', env('TOPIC', 'orders'), []],
    ['that are none', env('QUEUE_URL', 'http://a/b'), [env('QUEUE_SIZE', '10')]],
  ])('are not told: %s', (_what, own, others) => {
    const pods = others.map((other, at) => of(`other-${at}`, `o${at}`, other));
    expect(nearlyAgreed(of('own', 'a', own), pods)).toBeUndefined();
  });

  it('are found in the ConfigMaps of which both have variables', () => {
    const [own, other] = ['a', 'b'].map((name) =>
      of(name, name, { envFrom: [{ configMapRef: { name: `of-${name}` } }] }),
    ) as [Pod, Pod];
    const configs = [configMap('of-a', { MAIL_QUEUE: 'mail-high' }), configMap('of-b', { MAIL_QUEUE: 'mail_high' })];
    expect(nearlyAgreed(own, [own, other], configs)).toMatch(/"mail-high", and pod b has "mail_high"/);
    expect(configsBesideWanted(diagnosePod(evidence()), [own, other])).toEqual(
      ['of-a', 'of-b'].map((name) => ({ kind: 'ConfigMap', name })),
    );
  });

  it('are not told of pods of one workload, of which a rollout changes one', () => {
    const [own, other] = [of('own', 'a', env('TOPIC', 'orders')), of('next', 'a', env('TOPIC', 'order'))];
    expect(nearlyAgreed(own, [other])).toBeUndefined();
  });

  it('are told with what tells no cause, and alone where nothing is wrong', () => {
    const late = Array.from({ length: 5 }, () => 'ERROR confirmation mail still PENDING after 6 s');
    const failing = diagnosePod(
      evidence({
        pod: pod({ status: { state: { running: { startedAt: ago(300) } } } }),
        logs: { web: { current: late } },
      }),
    );
    expect(withNearlyAgreed(failing, 'x is y').findings[0]?.says).toMatch(/PENDING after 6 s; x is y$/);
    expect(withNearlyAgreed(failing, undefined)).toBe(failing);
    const well = diagnosePod(evidence());
    expect(withNearlyAgreed(well, 'x is y').findings).toMatchObject([{ id: 'names-differ', severity: 'info' }]);
  });
});
