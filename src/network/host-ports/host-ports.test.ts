/** Host ports: which leads to which pod, which flows are forgotten, and what is written when. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.node.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import type { TrackedConnection } from '../router/router-machine.ts';
import { podNetworkOf } from '../set-up-network.ts';
import { elementsOf, type MappedSandbox, planHostPorts, targetsIn, type WantedPort } from './plan-host-ports.ts';
import { PodTable } from './pod-table.ts';
import { podTable, podTableLayout } from './pod-table-text.ts';
import { changedTargets, staleHostFlows } from './stale-host-flows.ts';

const network = podNetworkOf('test', '10.244.0.0/24');

const port = (hostPort: number, more: Partial<WantedPort> = {}): WantedPort => ({
  protocol: 'TCP',
  containerPort: 80,
  hostPort,
  hostIp: '',
  ...more,
});
const box = (address: string, ports: readonly WantedPort[], createdAt = 1): MappedSandbox => ({
  createdAt,
  addresses: [address],
  ports,
});

describe('the plan', () => {
  const A = '10.244.0.2';
  const B = '10.244.0.3';
  const cases: readonly [
    string,
    Readonly<Record<string, MappedSandbox>>,
    Readonly<Record<string, string>>,
    readonly string[],
  ][] = [
    ['a port', { a: box(A, [port(8080)]) }, { 'open tcp . 8080': `${A} . 80` }, []],
    [
      'all protocols, without a word TCP',
      { a: box(A, [port(1, { protocol: '' }), port(1, { protocol: 'UDP' }), port(1, { protocol: 'SCTP' })]) },
      { 'open tcp . 1': `${A} . 80`, 'open udp . 1': `${A} . 80`, 'open sctp . 1': `${A} . 80` },
      [],
    ],
    [
      'one port of two addresses',
      { a: box(A, [port(1, { hostIp: '192.0.2.1' })]), b: box(B, [port(1, { hostIp: '192.0.2.2' })]) },
      { 'bound 192.0.2.1 . tcp . 1': `${A} . 80`, 'bound 192.0.2.2 . tcp . 1': `${B} . 80` },
      [],
    ],
    [
      'all addresses in another spelling',
      { a: box(A, [port(1, { hostIp: '0.0.0.0' })]) },
      { 'open tcp . 1': `${A} . 80` },
      [],
    ],
    [
      'no address of IPv4',
      { a: box(A, [port(1, { hostIp: '::' })]) },
      {},
      ['a :::1/TCP: it is no address, port or protocol of IPv4'],
    ],
    [
      'an octal address',
      { a: box(A, [port(1, { hostIp: '010.0.0.1' })]) },
      {},
      ['a 010.0.0.1:1/TCP: it is no address, port or protocol of IPv4'],
    ],
    [
      'no port',
      { a: box(A, [port(0), port(70_000)]) },
      {},
      [
        'a *:0/TCP: it is no address, port or protocol of IPv4',
        'a *:70000/TCP: it is no address, port or protocol of IPv4',
      ],
    ],
    [
      'a pod of IPv6 alone',
      { a: box('fd00::2', [port(1)]) },
      {},
      ['a *:1/TCP: the pod has no IPv4 address of its own'],
    ],
    [
      'the first address of IPv4',
      { a: { createdAt: 1, addresses: ['fd00::2', A], ports: [port(1)] } },
      { 'open tcp . 1': `${A} . 80` },
      [],
    ],
    [
      'the older of two pods has it',
      { a: box(A, [port(1)], 2), b: box(B, [port(1)], 1) },
      { 'open tcp . 1': `${B} . 80` },
      ['a *:1/TCP: an older pod has it'],
    ],
    [
      'of two at the same moment the same one at every start',
      { b: box(B, [port(1)]), a: box(A, [port(1)]) },
      { 'open tcp . 1': `${A} . 80` },
      ['b *:1/TCP: an older pod has it'],
    ],
    [
      'an address that was given out again is the younger pod’s',
      { a: box(A, [port(1)], 1), b: box(A, [port(2)], 2) },
      { 'open tcp . 2': `${A} . 80` },
      ['a *:1/TCP: the pod has no IPv4 address of its own'],
    ],
  ];
  it.each(cases)('%s', (_, pods, targets, leftOut) => {
    const plan = planHostPorts(new Map(Object.entries(pods)));
    expect(Object.fromEntries(plan.targets)).toEqual(targets);
    expect(plan.leftOut.map(({ podUid, what, why }) => `${podUid} ${what}: ${why}`)).toEqual(leftOut);
    // What the table says is what was planned.
    expect(targetsIn(elementsOf(plan.targets))).toEqual(plan.targets);
  });
});

describe('flows that are forgotten', () => {
  const flow = (to: string, answeredBy: string, toPort = 53): TrackedConnection => ({
    from: '192.0.2.9',
    fromPort: 5000,
    to,
    toPort,
    answeredBy,
    answeredByPort: 53,
  });
  const HOST = '192.0.2.1';
  const cases: readonly [string, TrackedConnection, Record<string, string>, Record<string, string>, boolean][] = [
    ['it began before the port', flow(HOST, HOST), {}, { 'open udp . 53': '10.0.0.2 . 53' }, true],
    ['the same, from this machine', flow('127.0.0.1', '127.0.0.1'), {}, { 'open udp . 53': '10.0.0.2 . 53' }, true],
    [
      'the pod is another',
      flow(HOST, '10.0.0.2'),
      { 'open udp . 53': '10.0.0.2 . 53' },
      { 'open udp . 53': '10.0.0.3 . 53' },
      true,
    ],
    ['the pod is gone', flow(HOST, '10.0.0.2'), { 'open udp . 53': '10.0.0.2 . 53' }, {}, true],
    [
      'the pod is gone, and a process of the node answered',
      flow(HOST, HOST),
      { 'open udp . 53': '10.0.0.2 . 53' },
      {},
      false,
    ],
    ['it leads where it should', flow(HOST, '10.0.0.2'), {}, { 'open udp . 53': '10.0.0.2 . 53' }, false],
    [
      'nothing has changed',
      flow(HOST, HOST),
      { 'open udp . 53': '10.0.0.2 . 53' },
      { 'open udp . 53': '10.0.0.2 . 53' },
      false,
    ],
    ['it passes through this machine', flow('8.8.8.8', '8.8.8.8'), {}, { 'open udp . 53': '10.0.0.2 . 53' }, false],
    ['another port', flow(HOST, HOST, 54), {}, { 'open udp . 53': '10.0.0.2 . 53' }, false],
    ['TCP', flow(HOST, HOST), {}, { 'open tcp . 53': '10.0.0.2 . 53' }, false],
    ['of one address', flow(HOST, HOST), {}, { [`bound ${HOST} . udp . 53`]: '10.0.0.2 . 53' }, true],
    ['of another address', flow(HOST, HOST), {}, { 'bound 192.0.2.2 . udp . 53': '10.0.0.2 . 53' }, false],
  ];
  it.each(cases)('%s: %#', (_, each, before, after, isStale) => {
    const changed = changedTargets(new Map(Object.entries(before)), new Map(Object.entries(after)));
    expect(staleHostFlows('udp', [each], changed, new Set([HOST]))).toEqual(isStale ? [each] : []);
  });
});

describe('the table', () => {
  const base = podTable(network);
  const start = async (found?: readonly string[]) => {
    const texts: string[] = [];
    const forgotten: string[] = [];
    const refusals: string[] = [];
    let flows: readonly TrackedConnection[] = [];
    const elements = (found ?? []).map((each) => {
      const [key = '', target = ''] = each.split(' : ');
      const concat = (text: string) => ({
        concat: text.split(' . ').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
      });
      return {
        set: { name: 'open-ports', elem: [concat(key)] },
        map: { name: 'open-targets', elem: [[concat(key), concat(target)]] },
      };
    });
    const contents = JSON.stringify({ nftables: [{ chain: { name: podTableLayout(network) } }, ...elements] });
    const table = new PodTable(
      {
        machine: {
          apply: async (text) => {
            const refusal = refusals.shift();
            if (refusal === undefined) texts.push(text);
            return refusal;
          },
          contents: async () => (found === undefined ? undefined : contents),
          addresses: () => ['192.0.2.1'],
          udpConnections: async () => flows,
          begunConnections: async () => flows,
          forget: async ({ from, to }, protocol) => void forgotten.push(`${protocol} ${from} → ${to}`),
        },
        clock: systemClock,
        logger: silentLogger,
        metrics: createMetrics(),
      },
      network,
    );
    const end = new AbortController();
    const opened = table.open();
    const written = async (): Promise<void> => {
      await new Promise<void>((done) => {
        const stop = table.onApplied(() => {
          stop();
          done();
        });
      });
    };
    return {
      table,
      texts,
      forgotten,
      refusals,
      written,
      flows: (next: readonly TrackedConnection[]) => {
        flows = next;
      },
      opened,
      run: async () => {
        await opened;
        void table.run(end.signal);
      },
      end: () => end.abort(),
    };
  };

  it('is made whole where there is none, and then only changed', async () => {
    const { table, texts, written, run, end } = await start();
    await run();
    expect(texts).toEqual([`add table ip mendlet-test-pods\ndelete table ip mendlet-test-pods\n${base}`]);
    table.map('a', box('10.244.0.2', [port(8080)]));
    await written();
    table.map('a', box('10.244.0.2', [port(8080)]));
    table.map('a', box('10.244.0.4', [port(8080)], 2));
    await written();
    table.map('a', undefined);
    table.setPeers(['10.244.1.0/24', '10.244.1.0/24']);
    await written();
    expect(texts.slice(1)).toEqual([
      'add element ip mendlet-test-pods open-ports { tcp . 8080 }\n' +
        'add element ip mendlet-test-pods open-targets { tcp . 8080 : 10.244.0.2 . 80 }\n',
      'delete element ip mendlet-test-pods open-targets { tcp . 8080 }\n' +
        'add element ip mendlet-test-pods open-targets { tcp . 8080 : 10.244.0.4 . 80 }\n',
      'delete element ip mendlet-test-pods open-ports { tcp . 8080 }\n' +
        'delete element ip mendlet-test-pods open-targets { tcp . 8080 }\n' +
        'add element ip mendlet-test-pods peer-networks { 10.244.1.0/24 }\n',
    ]);
    end();
  });

  it('that was found keeps the host ports of pods that are not told of yet', async () => {
    const found = ['tcp . 1 : 10.244.0.2 . 80', 'tcp . 2 : 10.244.0.3 . 80', 'tcp . 3 : 10.244.0.4 . 80'];
    const { table, texts, written, run, end } = await start(found);
    await run();
    table.map('a', box('10.244.0.2', [port(1)]));
    // This pod has the address of another port that was found.
    table.map('b', box('10.244.0.3', [port(9)]));
    await written();
    expect(texts).toEqual([
      'delete element ip mendlet-test-pods open-targets { tcp . 2 }\n' +
        'delete element ip mendlet-test-pods open-ports { tcp . 2 }\n' +
        'add element ip mendlet-test-pods open-ports { tcp . 9 }\n' +
        'add element ip mendlet-test-pods open-targets { tcp . 9 : 10.244.0.3 . 80 }\n',
    ]);
    table.settled();
    await written();
    expect(texts[1]).toBe(
      'delete element ip mendlet-test-pods open-ports { tcp . 3 }\ndelete element ip mendlet-test-pods open-targets { tcp . 3 }\n',
    );
    end();
  });

  it('is written whole after a refusal, and when it is asked for', async () => {
    const { table, texts, refusals, written, run, end } = await start([]);
    await run();
    refusals.push('Error: no such file');
    table.map('a', box('10.244.0.2', [port(1)]));
    await written();
    const whole =
      `add table ip mendlet-test-pods\ndelete table ip mendlet-test-pods\n${base}` +
      'add element ip mendlet-test-pods open-ports { tcp . 1 }\n' +
      'add element ip mendlet-test-pods open-targets { tcp . 1 : 10.244.0.2 . 80 }\n';
    await table.reload();
    expect(texts).toEqual([whole, whole]);
    end();
  });

  it('lets go who waits for it when it ends, and says which ports are taken', async () => {
    const { table, run, end } = await start([]);
    await run();
    const more = [port(2, { protocol: 'UDP', hostIp: '192.0.2.1' }), port(3, { protocol: 'SCTP' })];
    table.map('a', box('10.244.0.2', [port(1, { hostIp: '0.0.0.0' }), ...more]));
    expect(table.taken()).toEqual([
      { protocol: 'TCP', port: 1, address: undefined },
      { protocol: 'UDP', port: 2, address: '192.0.2.1' },
    ]);
    const asked = [table.reload()];
    end();
    asked.push(table.reload());
    await Promise.all(asked);
    await table.reload();
  });

  it('that nft refuses again and again is none, and says why', async () => {
    const { table, opened, texts, refusals } = await start();
    expect(await opened).toBeUndefined();
    refusals.push('busy', 'busy');
    expect(await table.open()).toBeUndefined();
    refusals.push('busy', 'busy', 'nft is not installed');
    expect(await table.open()).toBe('nft is not installed');
    expect(texts).toHaveLength(2);
  });

  it('has flows forgotten that led elsewhere', async () => {
    const { table, forgotten, flows, written, run, end } = await start([]);
    await run();
    flows([
      { from: '192.0.2.9', fromPort: 5, to: '192.0.2.1', toPort: 53, answeredBy: '192.0.2.1', answeredByPort: 53 },
    ]);
    table.map('a', box('10.244.0.2', [port(53, { protocol: 'UDP' })]));
    await written();
    await new Promise((done) => setTimeout(done, 10));
    expect(forgotten).toEqual(['udp 192.0.2.9 → 192.0.2.1']);
    // Somebody may have tried while there were no rules.
    await table.reload();
    await new Promise((done) => setTimeout(done, 10));
    expect(forgotten).toEqual(['udp 192.0.2.9 → 192.0.2.1', 'udp 192.0.2.9 → 192.0.2.1']);
    end();
  });
});
