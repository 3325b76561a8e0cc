import { describe, expect, it } from 'vitest';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, history, NOW, pod, waiting } from '../../evidence.fixtures.ts';
import { quoteText } from '../../quote-text.ts';

/** The changes that the most significant finding quotes. */
function changes(given: Partial<PodEvidence>): readonly string[] {
  const [finding] = diagnosePod(evidence(given)).findings;
  return (finding?.evidence ?? []).filter(({ source }) => source === 'change').map((quote) => quoteText(quote, NOW));
}

const crashing = pod({ status: crashed({ exitCode: 1 }) });
const secret = (seconds: number) => ({ at: ago(seconds), what: 'Secret db changed (resourceVersion 1 → 2)' });
const end = (seconds: number, lived: number) => ({ startedAt: ago(seconds + lived), finishedAt: ago(seconds) });
const rollout = (seconds: number, change: object = {}) => ({
  workload: 'deployment/web',
  revision: 3,
  from: 2,
  at: ago(seconds),
  changes: ['container web image: web:1 → web:2', 'container web env MODE: a → b'],
  makers: [],
  ...change,
});
const ROLLED =
  'rollout to revision 3 of deployment/web: container web image: web:1 → web:2; container web env MODE: a → b';

describe('what changed before a death', () => {
  it.each<[string, Partial<PodEvidence>, readonly string[]]>([
    [
      'a secret, before the only death',
      { history: history({ ...end(30, 900), changes: [secret(42)] }) },
      ['changed 12s before the first death of web: Secret db changed (resourceVersion 1 → 2)'],
    ],
    [
      'the certificate of a namespace that was made is no change',
      {
        history: history({
          ...end(30, 900),
          changes: [
            { at: ago(40), what: 'ConfigMap kube-root-ca.crt was made (resourceVersion 7)' },
            { at: ago(45), what: 'ConfigMap kube-root-ca.crt was deleted (resourceVersion 3)' },
          ],
        }),
      },
      [],
    ],
    [
      'a secret, before the first of a row of deaths',
      {
        history: history(
          { ...end(200, 5000), changes: [secret(212)] },
          { ...end(100, 5), changes: [secret(212)] },
          { ...end(30, 5), changes: [secret(212)] },
        ),
      },
      ['changed 12s before the first death of web: Secret db changed (resourceVersion 1 → 2)'],
    ],
    [
      'a secret, before a row that is not the first',
      {
        history: history(
          { ...end(9000, 5), changes: [{ at: ago(9001), what: 'the node booted' }] },
          { ...end(100, 5000), changes: [secret(107)] },
          { ...end(30, 5), changes: [secret(107)] },
        ),
      },
      ['changed 7s before death 2 of web: Secret db changed (resourceVersion 1 → 2)'],
    ],
    [
      'a change in the middle of a row is not what began it',
      { history: history({ ...end(300, 5) }, { ...end(30, 5), changes: [secret(40)] }) },
      [],
    ],
    ['nothing', { history: history(end(30, 900)) }, []],
    [
      'a new sandbox, which follows from other things',
      { history: history({ ...end(30, 900), changes: [{ at: ago(35), what: 'the pod got a new sandbox' }] }) },
      [],
    ],
    ['a change that is too old', { history: history({ ...end(30, 900), changes: [secret(700)] }) }, []],
    ['a change after the death', { history: history({ ...end(30, 900), changes: [secret(20)] }) }, []],
    [
      'a rollout',
      { history: history(end(30, 5)), rollout: rollout(44) },
      [`changed 14s before the first death of web: ${ROLLED}`],
    ],
    ['a rollout of long ago', { history: history(end(30, 5)), rollout: rollout(4000) }, []],
    ['a rollout that changed nothing', { history: history(end(30, 5)), rollout: rollout(44, { changes: [] }) }, []],
    ['a rollout of an unknown time', { history: history(end(30, 5)), rollout: rollout(44, { at: undefined }) }, []],
    [
      'a rollout before a row that is not the first',
      { history: history(end(9000, 5), end(30, 800)), rollout: rollout(44) },
      [],
    ],
    ['a death whose number nobody knows', { rollout: rollout(44) }, []],
  ])('%s', (_, given, wanted) => {
    expect(changes({ pod: crashing, ...given })).toEqual(wanted);
  });

  it('the first of the row is forgotten: nothing is said', () => {
    const [web] = history({ ...end(5000, 5), changes: [secret(5005)] }, end(100, 5), end(30, 5));
    const deaths = web!.deaths.map((death, index) => (index === 0 ? death : { ...death, number: 40 + index }));
    expect(changes({ pod: crashing, history: [{ ...web!, total: 42, deaths }] })).toEqual([]);
  });

  it('a start that failed before the first death of a young pod: it is the pod’s beginning nevertheless', () => {
    const [web] = history(end(30, 1), end(10, 1));
    const deaths = web!.deaths.map((death, index) => ({ ...death, number: 2 + index }));
    const young = pod({ status: crashed({ exitCode: 1 }), metadata: { creationTimestamp: ago(40) } });
    const found = changes({ pod: young, history: [{ ...web!, total: 3, deaths }], rollout: rollout(44) });
    expect(found).toEqual([`changed 14s before death 2 of web: ${ROLLED}`]);
  });

  it('is masked, and stands after the death itself', () => {
    const loud = { changes: ['container web args: ["--password=hunter2"] → ["x"]'] };
    const [finding] = diagnosePod(
      evidence({ pod: crashing, history: history(end(30, 5)), rollout: rollout(44, loud) }),
    ).findings;
    expect(finding?.evidence.map(({ source }) => source).slice(0, 2)).toEqual(['death', 'change']);
    expect(JSON.stringify(finding)).not.toContain('hunter2');
  });
});

describe('what changed before a pod that never ran', () => {
  const pulling = (metadata: object = {}) =>
    pod({
      status: waiting('ImagePullBackOff', 'Back-off pulling image "web:2"'),
      podStatus: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(3599) }] },
      metadata,
    });
  it.each<[string, Partial<PodEvidence>, readonly string[]]>([
    ['its rollout', { pod: pulling(), rollout: rollout(3605) }, [`changed 5s before pod web-1 was made: ${ROLLED}`]],
    ['a rollout of long before', { pod: pulling(), rollout: rollout(9000) }, []],
    ['no rollout', { pod: pulling() }, []],
    [
      'a pod that was ready until a minute ago',
      {
        pod: pod({
          status: waiting('ImagePullBackOff'),
          podStatus: { conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: ago(60) }] },
        }),
        rollout: rollout(3605),
      },
      [],
    ],
  ])('%s', (_, given, wanted) => {
    expect(changes(given)).toEqual(wanted);
  });
});

describe('a variable that the rollout changed', () => {
  const says = (line: string, env: readonly object[], changes: readonly string[], seconds = 44): string => {
    const given = pod({ container: { env: [...env] } as object, status: crashed({ exitCode: 1 }) });
    return (
      diagnosePod(
        evidence({
          pod: given,
          history: history({ ...end(30, 5), log: { tail: line, truncated: false, says: line } }),
          rollout: rollout(seconds, { changes }),
        }),
      ).findings[0]?.says ?? ''
    );
  };
  const UNKNOWN = 'getaddrinfo ENOTFOUND orders-api';
  const host = [{ name: 'ORDERS', value: 'http://orders-api:8080' }];

  it.each<[string, string, RegExp]>([
    [
      'added, with the host that is not found',
      says(UNKNOWN, host, ['container web env ORDERS: added']),
      /; its variable ORDERS, which the rollout to revision 3 of deployment\/web has added, names it$/,
    ],
    [
      'changed, with what it was',
      says(UNKNOWN, host, ['container web env ORDERS: http://api:8080 → http://orders-api:8080']),
      /; its variable ORDERS, which the rollout to revision 3 of deployment\/web has changed \(it was http:\/\/api:8080\), names it$/,
    ],
    [
      'that the headline names',
      says(
        "ValueError: invalid literal for int() with base 10: '5m'",
        [{ name: 'TIMEOUT', value: '5m' }],
        ['container web env TIMEOUT: 300 → 5m'],
      ),
      /variable TIMEOUT.*; the rollout to revision 3 of deployment\/web has changed that variable \(it was 300\)$/,
    ],
    ['of another container', says(UNKNOWN, host, ['container log env ORDERS: added']), /and ends(?!.*rollout)/],
    [
      'of another value',
      says(UNKNOWN, [{ name: 'MODE', value: 'fast' }], ['container web env MODE: a → fast']),
      /and ends(?!.*rollout)/,
    ],
    ['long ago', says(UNKNOWN, host, ['container web env ORDERS: added'], 4000), /and ends(?!.*rollout)/],
  ])('%s', (_, given, expected) => {
    expect(given).toMatch(expected);
  });
});
