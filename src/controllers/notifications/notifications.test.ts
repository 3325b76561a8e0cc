/** Notifications, pods and nodes: the controllers and the server together, with a target that answers as it is told. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/in-memory-api.ts';
import {
  type RunningControllers,
  startControllers,
  startControllersOn,
} from '../../../test/support/running-controllers.ts';
import {
  CLUSTER_NOTIFICATIONS,
  type ClusterNotificationSpec,
  EVENTS,
  NAMESPACES,
  NODES,
  NOTIFICATIONS,
  type Notification,
  type NotificationSpec,
  type NotificationStatus,
  PODS,
  SECRETS,
  TEST_NOTIFICATION,
} from '../../api/index.ts';
import { formatTime } from '../../lib/index.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { DEFAULT_NODE_LIFECYCLE } from '../node-lifecycle/settings.ts';
import type { NoticeSender, OutgoingMessage, SendResult } from './notice-sender.ts';

const OK: SendResult = { delivered: true, answer: '200 OK' };
const FAILED: SendResult = { delivered: false, reason: 'Answered', problem: 'the target answered 500' };
const URL = 'https://hooks.example/x';

let cluster: RunningControllers;
let sent: OutgoingMessage[];
let answer: (message: OutgoingMessage) => Promise<SendResult> | SendResult;
const sendNotices: NoticeSender = async (message) => {
  sent.push(message);
  return answer(message);
};

/** Nobody sends heartbeats here. */
const FOREVER_MS = 1e9;
const settings = {
  sendNotices,
  nodeLifecycle: {
    ...DEFAULT_NODE_LIFECYCLE,
    nodeMonitorGracePeriodMs: FOREVER_MS,
    nodeStartupGracePeriodMs: FOREVER_MS,
  },
};

beforeEach(async () => {
  sent = [];
  answer = () => OK;
  cluster = await startControllers(async ({ client }) => {
    for (const name of ['shop', 'other'])
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  }, settings);
});
afterEach(() => cluster.stop());

async function notify(spec: NotificationSpec = {}, namespace = 'shop', name = 'team'): Promise<void> {
  await cluster.client.create(NOTIFICATIONS, {
    apiVersion: 'mendlet.dev/v1',
    kind: 'Notification',
    metadata: { namespace, name },
    spec: { target: { type: 'Generic', url: URL }, groupWait: '1s', damping: '10s', ...spec },
  });
  await settle();
}

async function notifyAll(spec: ClusterNotificationSpec = {}): Promise<void> {
  await cluster.client.create(CLUSTER_NOTIFICATIONS, {
    apiVersion: 'mendlet.dev/v1',
    kind: 'ClusterNotification',
    metadata: { name: 'all' },
    spec: { target: { type: 'Generic', url: URL }, groupWait: '1s', damping: '10s', ...spec },
  });
  await settle();
}

async function makePod(name: string, namespace = 'shop', app = 'web'): Promise<void> {
  await cluster.client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name, labels: { app } },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'busybox' }] },
  });
}

const time = (): string => formatTime(cluster.clock.now().wall);

async function report(name: string, gaveUp: boolean, namespace = 'shop'): Promise<void> {
  const stopped = {
    type: 'mendlet.dev/HealingStopped',
    status: gaveUp ? 'True' : 'False',
    reason: 'AttemptsExhausted',
    message: 'container c exited with 7',
    lastTransitionTime: time(),
  };
  const conditions = [{ type: 'Ready', status: gaveUp ? 'False' : 'True', lastTransitionTime: time() }, stopped];
  await cluster.client.patch(PODS, namespace, name, 'merge', { status: { phase: 'Running', conditions } }, 'status');
  await settle();
}

async function nodeIs(status: 'True' | 'Unknown'): Promise<void> {
  const conditions = [
    { type: 'Ready', status, message: 'Kubelet stopped posting node status.', lastTransitionTime: time() },
  ];
  await cluster.client.patch(NODES, undefined, 'n1', 'merge', { status: { conditions } }, 'status');
  await settle();
}

const titles = (): readonly string[] => sent.map(({ body }) => (JSON.parse(body) as { title: string }).title);
const ids = (): readonly string[] => sent.map(({ headers }) => headers['idempotency-key'] ?? '');
const status = async (name = 'team', namespace = 'shop'): Promise<NotificationStatus> =>
  (await cluster.client.get<Notification>(NOTIFICATIONS, namespace, name)).status ?? {};

/** Lets the clock run until it holds. */
async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await until(async () => {
    await cluster.clock.advance(1000);
    return holds();
  }, what);
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 30) await cluster.clock.advance(30_000);
}

async function restartControllers(): Promise<void> {
  await cluster.stop();
  cluster = await startControllersOn(cluster, settings);
}

describe('a pod whose ladder has ended', () => {
  beforeEach(async () => {
    await makePod('web');
    await notify();
    await report('web', true);
    await eventually(() => sent.length > 0, 'told');
  });

  it('is told once, and its recovery once', async () => {
    await pass(180);
    expect(titles()).toEqual(['pod shop/web: healing gave up']);
    expect(await status()).toMatchObject({ sent: 1, failed: 0, open: 1, notices: [{ name: 'web', told: 1 }] });
    await report('web', false);
    await eventually(() => sent.length > 1, 'recovery told');
    await pass(60);
    expect(titles()[1]).toMatch(/^pod shop\/web recovered after /);
    expect(sent).toHaveLength(2);
    expect(await status()).toMatchObject({ sent: 2, open: 0 });
  });

  it('that flaps is told once', async () => {
    for (let round = 0; round < 5; round += 1) {
      await report('web', false);
      await cluster.clock.advance(4000);
      await report('web', true);
      await cluster.clock.advance(4000);
    }
    expect(sent).toHaveLength(1);
  });

  it('is not told again by the next process', async () => {
    await restartControllers();
    await pass(60);
    expect(sent).toHaveLength(1);
    await report('web', false);
    await eventually(() => sent.length > 1, 'recovery told');
    expect(titles()[1]).toMatch(/recovered after/);
  });

  it('that is deleted does not exist any more', async () => {
    await cluster.client.delete(PODS, 'shop', 'web', { gracePeriodSeconds: 0 });
    await eventually(() => sent.length > 1, 'end told');
    expect(titles()[1]).toBe('pod shop/web does not exist any more');
  });

  it('that fails for good has not recovered', async () => {
    await cluster.client.patch(PODS, 'shop', 'web', 'merge', { status: { phase: 'Failed' } }, 'status');
    await eventually(() => sent.length > 1, 'end told');
    expect(titles()[1]).toBe('pod shop/web has failed, and is not healed any more');
  });

  it('is no news when nobody asks for it any more', async () => {
    await cluster.client.patch(NOTIFICATIONS, 'shop', 'team', 'merge', { spec: { triggers: ['NodeLost'] } });
    await pass(60);
    expect(sent).toHaveLength(1);
    expect((await status()).notices).toEqual([]);
  });
});

describe('a target', () => {
  it('that fails is tried again ever later, and gets one message when it is back', async () => {
    answer = () => FAILED;
    await makePod('web');
    await notify();
    await report('web', true);
    await eventually(() => sent.length === 3, 'tried again');
    expect(new Set(ids()).size).toBe(1);
    expect(await status()).toMatchObject({ sent: 0, lastProblem: 'the target answered 500', open: 1 });
    const { items } = await cluster.client.list(EVENTS, { namespace: 'shop' });
    expect(items.map(({ reason }) => reason)).toContain('NotificationFailed');
    answer = () => OK;
    await eventually(async () => (await status()).sent === 1, 'delivered');
    const tries = sent.length;
    await pass(180);
    expect(sent).toHaveLength(tries);
    expect((await status()).conditions?.find(({ type }) => type === 'Delivered')?.status).toBe('True');
  });

  it('that hangs delays no other, and is asked by nobody else meanwhile', async () => {
    const hangs = Promise.withResolvers<SendResult>();
    answer = ({ url }) => (url.includes('slow') ? hangs.promise : OK);
    await makePod('web');
    for (let at = 0; at < 6; at += 1)
      await notify({ target: { type: 'Generic', url: `https://slow.example/${at}` } }, 'shop', `slow${at}`);
    await makePod('api', 'other');
    await notify({}, 'other', 'quick');
    await report('web', true);
    await report('api', true, 'other');
    await eventually(async () => (await status('quick', 'other')).sent === 1, 'the other was told');
    expect(sent.filter(({ url }) => url.includes('slow'))).toHaveLength(4);
    hangs.resolve(OK);
    await eventually(async () => (await status('slow5')).sent === 1, 'the rest followed');
  });

  it('learns what came and went while it was away', async () => {
    answer = () => FAILED;
    await makePod('web');
    await notify();
    await report('web', true);
    await eventually(() => sent.length > 0, 'tried');
    await report('web', false);
    await pass(30);
    answer = () => OK;
    await eventually(async () => (await status()).sent === 1, 'told');
    expect(titles().at(-1)).toMatch(
      /^pod shop\/web recovered after .* \(before this target could be told: healing gave up\)$/,
    );
  });
});

describe('what a notification is about', () => {
  it('are the pods that it selects', async () => {
    await makePod('web');
    await makePod('db', 'shop', 'db');
    await makePod('far', 'other');
    await notify({ selector: { matchLabels: { app: 'web' } } });
    for (const [name, namespace] of [
      ['web', 'shop'],
      ['db', 'shop'],
      ['far', 'other'],
    ] as const)
      await report(name, true, namespace);
    await eventually(() => sent.length > 0, 'told');
    await pass(60);
    expect(titles()).toEqual(['pod shop/web: healing gave up']);
  });

  it('are nodes with such pods, and for the whole cluster all nodes', async () => {
    await makePod('web');
    await notify({ triggers: ['NodeLost', 'Recovered'] });
    await notify({ triggers: ['NodeLost', 'Recovered'] }, 'other', 'none');
    await nodeIs('Unknown');
    await eventually(() => sent.length === 1, 'told');
    // Its pods are evicted, which does not bring it back.
    await cluster.client.delete(PODS, 'shop', 'web', { gracePeriodSeconds: 0 });
    await notifyAll({ triggers: ['NodeLost', 'Recovered'] });
    await eventually(() => sent.length === 2, 'told of all nodes');
    await pass(60);
    expect(titles()).toEqual(['node n1 is lost', 'node n1 is lost']);
    await nodeIs('True');
    await eventually(() => sent.length === 4, 'recovery told');
    expect(titles()[3]).toMatch(/^node n1 recovered after/);
  });

  it('is one message for what happens together', async () => {
    await notifyAll();
    for (const name of ['a', 'b', 'c']) {
      await makePod(name);
      await report(name, true);
    }
    await eventually(() => sent.length > 0, 'told');
    await pass(60);
    expect(titles()).toEqual(['3 gave up']);
  });

  it('is nothing when its spec cannot be used', async () => {
    await notify({ target: { type: 'Generic', url: URL, headers: [{ name: 'x', value: 'y' }] } });
    expect((await status()).conditions).toMatchObject([{ type: 'Accepted', status: 'True' }]);
    await expect(notify({ target: { type: 'Generic' } }, 'shop', 'none')).rejects.toThrow(
      'spec.target.url: Required value',
    );
    await expect(
      notify({ target: { type: 'Slack', url: URL, headers: [{ name: 'Host', value: 'y' }] } }, 'shop', 'host'),
    ).rejects.toThrow('spec.target.headers[0].name: Invalid value: "Host": is set by the sender');
    await expect(notify({ target: { type: 'Slack', url: 'http://a:b@c/' } }, 'shop', 'user')).rejects.toThrow(
      'spec.target.url',
    );
    await expect(notify({ damping: '25h' }, 'shop', 'long')).rejects.toThrow('spec.damping');
  });
});

describe('a secret', () => {
  const fromSecret = (name?: string): NotificationSpec => ({
    target: {
      type: 'Slack',
      urlFrom: { secretKeyRef: { key: 'url', ...(name === undefined ? {} : { name }) } },
      headers: [
        {
          name: 'Authorization',
          valueFrom: { secretKeyRef: { key: 'token', ...(name === undefined ? {} : { name }) } },
        },
      ],
    },
  });
  const makeSecret = (name: string, labels = {}): Promise<unknown> =>
    cluster.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'shop', name, labels },
      stringData: { url: 'https://hooks.example/T0/secret\n', token: 'Bearer very-secret' },
    });

  it('has the address and headers, and its values stay out of status and events', async () => {
    await makeSecret('mendlet-notifications');
    answer = () => FAILED;
    await makePod('web');
    await notify(fromSecret());
    await report('web', true);
    await eventually(() => sent.length === 2, 'sent');
    expect(sent[0]).toMatchObject({
      url: 'https://hooks.example/T0/secret',
      headers: { authorization: 'Bearer very-secret' },
    });
    expect(sent[0]?.secrets).toEqual(
      expect.arrayContaining(['very-secret', 'https://hooks.example/T0/secret', '/T0/secret']),
    );
    const { items } = await cluster.client.list(EVENTS, { namespace: 'shop' });
    expect(JSON.stringify([await status(), items])).not.toContain('secret"');
    expect(JSON.stringify([await status(), items])).not.toMatch(/very-secret|\/T0\//);
  });

  it('that was not given for this is not sent', async () => {
    await makeSecret('database');
    await makePod('web');
    await notify(fromSecret('database'));
    await report('web', true);
    await eventually(async () => (await status()).lastProblem !== undefined, 'told why');
    expect((await status()).lastProblem).toContain('Secret shop/database may not be used');
    expect(sent).toEqual([]);
    await cluster.client.patch(SECRETS, 'shop', 'database', 'merge', {
      metadata: { labels: { 'mendlet.dev/for-notifications': 'true' } },
    });
    await eventually(() => sent.length === 1, 'sent');
  });

  it('that is missing is named', async () => {
    await makePod('web');
    await notify(fromSecret());
    await report('web', true);
    await eventually(async () => (await status()).lastProblem !== undefined, 'told why');
    expect((await status()).lastProblem).toBe('Secret shop/mendlet-notifications does not exist');
  });
});

describe('a trial', () => {
  const ask = async (id: string): Promise<void> => {
    const patch = { metadata: { annotations: { [TEST_NOTIFICATION]: id } } };
    await cluster.client.patch(NOTIFICATIONS, 'shop', 'team', 'merge', patch);
    await settle();
  };

  it('is sent at once, whatever failed before, and answered', async () => {
    answer = () => FAILED;
    await makePod('web');
    await notify();
    await report('web', true);
    await eventually(() => sent.length === 1, 'tried');
    await ask('one');
    await eventually(async () => (await status()).test?.id === 'one', 'answered');
    expect((await status()).test).toMatchObject({ delivered: false, answer: 'the target answered 500' });
    answer = () => OK;
    await ask('two');
    await eventually(async () => (await status()).test?.id === 'two', 'answered');
    expect((await status()).test).toMatchObject({ delivered: true, answer: '200 OK' });
    expect(titles().filter((title) => title === 'mendlet: a test')).toHaveLength(2);
    // A target that works again gets what it missed.
    await eventually(async () => (await status()).notices?.[0]?.told === 1, 'told');
  });
});
