import { describe, expect, it } from 'vitest';
import type { NotificationNotice } from '../../api/index.ts';
import { MAX_NTFY_BYTES, MAX_TEXT_LENGTH } from './limits.ts';
import { composeMessage, composeTest, type Message } from './message.ts';
import { bodyOf, titleOf } from './message-text.ts';
import type { DueNotice } from './plan-notices.ts';
import { shapeMessage } from './shapes.ts';
import { endOfPod, endOfWorkload, type TroubleEnd } from './trouble-end.ts';

const AT = Date.parse('2026-05-01T12:05:00Z');
const sender = { kind: 'Notification', namespace: 'shop', name: 'team', uid: 'u1' };
const gaveUp: NotificationNotice = {
  id: 'aa',
  trigger: 'GaveUp',
  objectKind: 'Deployment',
  namespace: 'shop',
  name: 'api',
  cause: 'pod api-1: container web exited with 7; tried restarts: 2 of the container',
  since: '2026-05-01T12:00:00Z',
  times: 1,
  told: 0,
};
const lost: NotificationNotice = {
  id: 'bb',
  trigger: 'NodeLost',
  objectKind: 'Node',
  name: 'n1',
  cause: 'node n1 is not heard of: Kubelet stopped posting node status.',
  since: '2026-05-01T11:00:00Z',
  times: 2,
  told: 0,
};
const compose = (due: readonly DueNotice[], end: TroubleEnd = 'recovered'): Message =>
  composeMessage(due, { sender, at: AT, endOf: () => end });
const one = compose([{ kind: 'firing', notice: gaveUp }]);
const over: DueNotice = { kind: 'recovered', notice: { ...gaveUp, told: 1, endTime: '2026-05-01T12:04:10Z' } };
const both = compose([{ kind: 'firing', notice: lost }, over]);
const test = composeTest('now', { sender, cluster: 'prod', at: AT });

describe('the words', () => {
  it('say what, where, why, since when, what next and where to look', () => {
    expect(titleOf(one)).toBe('deployment shop/api: healing gave up');
    expect(bodyOf(one).split('\n')).toEqual([
      '✖ deployment shop/api: healing gave up',
      'Why: pod api-1: container web exited with 7; tried restarts: 2 of the container',
      'Since: 2026-05-01T12:00:00Z, 5m0s ago',
      'Next: Nothing more is tried until somebody restarts it, or changes its image, a ConfigMap or a Secret of it.',
      'Look: mendlet why deploy/api -n shop · kubectl describe deploy/api -n shop · mendlet restart deploy/api -n shop --force',
    ]);
  });

  it('count when there are several, and say how long it took', () => {
    expect(titleOf(both)).toBe('1 lost, 1 recovered');
    expect(bodyOf(both)).toContain('✖ node n1 is lost\nWhy: node n1 is not heard of');
    expect(bodyOf(both)).toContain('Since: 2026-05-01T11:00:00Z, 1h5m0s ago; 2 times within an hour');
    expect(bodyOf(both)).toContain('✔ deployment shop/api recovered after 4m10s\nIt was: pod api-1');
  });

  it('say what nobody could be told before, and what is gone', () => {
    const late = compose([{ kind: 'recovered', notice: { ...over.notice, told: 0 } }]);
    expect(titleOf(late)).toBe(
      'deployment shop/api recovered after 4m10s (before this target could be told: healing gave up)',
    );
    expect(titleOf(compose([over], 'gone'))).toBe('deployment shop/api does not exist any more');
    expect(titleOf(compose([{ kind: 'again', notice: gaveUp }]))).toBe('deployment shop/api: healing gave up (still)');
  });

  it('call nothing recovered that is gone or has failed', () => {
    expect(titleOf(compose([over], 'no-pods'))).toBe('deployment shop/api has no pods any more');
    const failed = compose([over], 'failed');
    expect(titleOf(failed)).toBe('deployment shop/api has failed, and is not healed any more');
    expect(bodyOf(failed)).toMatch(/^✖ .*\n(.*\n)*Next: It is not started again\.$/m);
    expect(titleOf(compose([over, over, { kind: 'firing', notice: lost }], 'failed'))).toBe('2 failed, 1 lost');
    expect(shapeMessage('Ntfy', failed, { url: 'https://x' }).headers).toMatchObject({
      priority: '3',
      tags: 'information_source',
    });
    expect(JSON.parse(shapeMessage('Generic', failed, { url: 'https://x' }).body)).toMatchObject({
      notices: [{ state: 'Recovered', end: 'Failed' }],
    });
  });

  it('have the cluster, and are a test when they are one', () => {
    expect([titleOf(test), bodyOf(test)]).toEqual([
      '[prod] mendlet: a test',
      'Notification shop/team can reach this target. Nothing is wrong.',
    ]);
  });

  it('give no command for what a shell would take for something else', () => {
    const odd = { ...gaveUp, name: 'a; rm -rf /', objectKind: 'Deployment' };
    expect(compose([{ kind: 'firing', notice: odd }]).notices[0]?.commands).toEqual([]);
    expect(compose([{ kind: 'firing', notice: { ...gaveUp, objectKind: 'Rollout' } }]).notices[0]?.commands).toEqual(
      [],
    );
  });

  it('are bounded, and say what is left out', () => {
    const many = compose(
      Array.from({ length: 25 }, (_, at) => ({
        kind: 'firing' as const,
        notice: { ...gaveUp, name: `a${at}`, cause: 'x'.repeat(400) },
      })),
    );
    expect(bodyOf(many).length).toBeLessThanOrEqual(MAX_TEXT_LENGTH);
    expect(bodyOf(many)).toMatch(/… and \d+ more$/);
  });

  it('have the same id when they are sent again', () => {
    expect(compose([{ kind: 'firing', notice: gaveUp }]).id).toBe(one.id);
    expect(both.id).not.toBe(one.id);
  });
});

describe('the shape', () => {
  const url = 'https://example.com/hook?x=1';
  const json = (type: 'Generic' | 'Slack' | 'Alertmanager', message: Message, more = {}): unknown =>
    JSON.parse(shapeMessage(type, message, { url, ...more }).body);

  it('Generic has all facts', () => {
    expect(shapeMessage('Generic', one, { url })).toMatchObject({
      url,
      headers: { 'content-type': 'application/json', 'idempotency-key': one.id },
    });
    expect(json('Generic', both)).toMatchObject({
      apiVersion: 'mendlet.dev/v1',
      kind: 'NotificationMessage',
      sentAt: '2026-05-01T12:05:00Z',
      notification: { kind: 'Notification', namespace: 'shop', name: 'team' },
      title: '1 lost, 1 recovered',
      notices: [
        { state: 'Firing', trigger: 'NodeLost', object: { kind: 'Node', name: 'n1' }, times: 2 },
        {
          state: 'Recovered',
          trigger: 'GaveUp',
          trouble: 'aa',
          object: { kind: 'Deployment', namespace: 'shop', name: 'api' },
          durationSeconds: 250,
          commands: ['mendlet history deploy/api -n shop'],
        },
      ],
    });
    expect(json('Generic', test)).toMatchObject({ test: true, cluster: 'prod', notices: [] });
  });

  it('Slack has text without foreign marks', () => {
    const cause = 'see <!channel> & `rm` *now*';
    const { text } = json('Slack', compose([{ kind: 'firing', notice: { ...gaveUp, cause } }])) as { text: string };
    expect(text).toContain('*deployment shop/api: healing gave up*\n✖ ');
    expect(text).toContain('see &lt;!channel&gt; &amp; ˋrmˋ *now*');
    expect(text).toContain('Look: `mendlet why deploy/api -n shop` · `kubectl');
  });

  it('Slack has no mentions that Mattermost and Rocket.Chat know, and fetches no page', () => {
    const cause = '@all (@channel) user@example.com repo/app@sha256:12 @here';
    const body = json('Slack', compose([{ kind: 'firing', notice: { ...gaveUp, cause } }])) as { text: string };
    expect(body).toMatchObject({ unfurl_links: false, unfurl_media: false });
    expect(body.text).toContain('@\u200ball (@\u200bchannel) user@example.com repo/app@sha256:12 @\u200bhere');
  });

  it('Alertmanager gets no alert that ends before it starts', () => {
    const times = (each: NotificationNotice, kind: DueNotice['kind']): unknown =>
      json('Alertmanager', compose([{ kind, notice: each }]));
    const ended = { ...gaveUp, since: '2026-05-01T12:04:30Z', endTime: '2026-05-01T12:04:00Z', told: 1 };
    expect(times(ended, 'recovered')).toMatchObject([
      { startsAt: '2026-05-01T12:04:00Z', endsAt: '2026-05-01T12:04:00Z' },
    ]);
    const ahead = { ...gaveUp, since: '2027-01-01T00:00:00Z' };
    expect(times(ahead, 'firing')).toMatchObject([{ startsAt: '2026-05-01T12:05:00Z' }]);
  });

  it('Ntfy has a title, a priority and few bytes', () => {
    const { headers, body } = shapeMessage('Ntfy', one, { url });
    expect(headers).toMatchObject({
      title: 'deployment shop/api: healing gave up',
      priority: '5',
      tags: 'rotating_light',
    });
    expect(body).toBe(bodyOf(one));
    expect(shapeMessage('Ntfy', compose([over]), { url }).headers).toMatchObject({
      priority: '3',
      tags: 'white_check_mark',
    });
    const wide = shapeMessage('Ntfy', compose([{ kind: 'firing', notice: { ...gaveUp, cause: '€'.repeat(3000) } }]), {
      url,
    });
    expect(new TextEncoder().encode(wide.body).length).toBeLessThanOrEqual(MAX_NTFY_BYTES);
    const named = composeTest('x', { sender, cluster: 'köln', at: AT });
    expect(shapeMessage('Ntfy', named, { url }).headers['title']).toBe('=?UTF-8?B?W2vDtmxuXSBtZW5kbGV0OiBhIHRlc3Q=?=');
  });

  it('Alertmanager has alerts that end', () => {
    expect(shapeMessage('Alertmanager', one, { url: 'http://am:9093' }).url).toBe('http://am:9093/api/v2/alerts');
    expect(shapeMessage('Alertmanager', one, { url: 'http://am:9093/x/api/v2/alerts' }).url).toBe(
      'http://am:9093/x/api/v2/alerts',
    );
    expect(json('Alertmanager', both, { repeatAfterMs: 300_000 })).toEqual([
      {
        labels: {
          alertname: 'MendletNodeLost',
          severity: 'critical',
          notification: 'shop/team',
          object_kind: 'Node',
          node: 'n1',
        },
        annotations: expect.objectContaining({ summary: 'node n1 is lost' }) as object,
        startsAt: '2026-05-01T11:00:00Z',
        endsAt: '2026-05-01T13:05:00Z',
      },
      {
        labels: {
          alertname: 'MendletGaveUp',
          severity: 'critical',
          notification: 'shop/team',
          object_kind: 'Deployment',
          namespace: 'shop',
          object: 'api',
        },
        annotations: expect.objectContaining({ summary: 'deployment shop/api recovered after 4m10s' }) as object,
        startsAt: '2026-05-01T12:00:00Z',
        endsAt: '2026-05-01T12:04:10Z',
      },
    ]);
  });
});

describe('the end of a trouble', () => {
  const pod = (phase: string, deleted = false) => ({
    metadata: deleted ? { deletionTimestamp: '2026-05-01T12:00:00Z' } : {},
    status: { phase },
  });

  it('of a pod', () => {
    expect([undefined, pod('Running'), pod('Succeeded'), pod('Failed')].map(endOfPod)).toEqual([
      'gone',
      'recovered',
      'recovered',
      'failed',
    ]);
  });

  it.each([
    ['Deployment', [pod('Running'), pod('Failed')], 'recovered'],
    ['Deployment', [pod('Failed')], 'no-pods'],
    ['Deployment', [pod('Running', true)], 'no-pods'],
    ['Deployment', [], 'no-pods'],
    ['Job', [pod('Failed')], 'failed'],
    ['Job', [pod('Failed'), pod('Succeeded')], 'recovered'],
    ['Job', [], 'no-pods'],
  ] as const)('of a %s', (kind, pods, wanted) => expect(endOfWorkload(kind, pods)).toBe(wanted));
});
